"""Publication: tables and figures of finished studies in docs/results, and the pages written from them."""
