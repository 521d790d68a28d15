"""Vakili21, Table 1: powers of the time of a step, of its methods and of ours, by method and what grows."""

STATED = {
    ("textbook", "rounds"): "3 (exact: $t^3 + G^3$)",
    ("textbook", "candidates"): "3 (exact: $t^3 + G^3$)",
    ("joint", "rounds"): "0 (this implementation: $G^2$)",
    ("joint", "candidates"): "2 (this implementation: $G^2$)",
    ("pathwise", "rounds"): "2 (this implementation: $t^2 + t G + G^2$)",
    ("pathwise", "candidates"): "2 (this implementation: $t^2 + t G + G^2$)",
    ("points", "rounds"): "1 (sparse: $(m + M) G + t m^2$); 0 with kept sums",
    ("points", "candidates"): "1 (sparse: $(m + M) G + t m^2$)",
}
