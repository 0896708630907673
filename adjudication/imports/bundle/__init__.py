"""Our own bundle: written for a reader class, and taken in again. See docs/bundle-format.md."""
