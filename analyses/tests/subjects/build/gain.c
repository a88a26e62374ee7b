// Compiled twice, with another type each time.
REAL gain(REAL in, REAL out) { return out / in; }
