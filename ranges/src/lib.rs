//! Abstract interpretation of our representation over floats: what cannot happen.
