-- What dense search needs, and only a superuser may create. Everything else works without it.

CREATE EXTENSION IF NOT EXISTS vector;
