"""Mauduit25b: the number of queries N_T of its schedules."""

# N_T of W-SparQ's schedule by alpha (None: SparQ's), at T = 500 and 5000.
COUNTS = {
    0.5: (1135, 5592),
    1.0: (3702, 31_994),
    1.5: (5503, 56_972),
    2.0: (6481, 77_183),
    3.0: (7920, 106_311),
    None: (15_859, 227_956),
}
