from tests.corpus.conftest import lead, public

__all__ = ["lead", "public"]
