"""A span that is not where it says cannot be stored, whatever code path tries.

``substr`` counts code points in a UTF-8 database and the bytes are those of the
snapshot, so both pairs of offsets are checked against what was captured.
"""

from django.db import migrations

CHECK = """
CREATE FUNCTION check_span() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    version corpus_sourceversion%ROWTYPE;
BEGIN
    SELECT * INTO version FROM corpus_sourceversion WHERE id = NEW.version_id;
    IF substr(version.text, NEW.start + 1, NEW."end" - NEW.start) <> NEW.exact
       OR char_length(NEW.exact) <> NEW."end" - NEW.start THEN
        RAISE EXCEPTION 'span %-%: these are not the words at that place', NEW.start, NEW."end"
            USING ERRCODE = 'check_violation';
    END IF;
    IF substr(version.snapshot, NEW.byte_start + 1, NEW.byte_end - NEW.byte_start)
       <> convert_to(NEW.exact, 'UTF8') THEN
        RAISE EXCEPTION 'span %-%: these are not the bytes at that place',
            NEW.byte_start, NEW.byte_end USING ERRCODE = 'check_violation';
    END IF;
    IF encode(sha256(convert_to(NEW.exact, 'UTF8')), 'hex') <> NEW.sha256 THEN
        RAISE EXCEPTION 'span %-%: the digest is not that of its words', NEW.start, NEW."end"
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER span_is_exact BEFORE INSERT ON corpus_span
    FOR EACH ROW EXECUTE FUNCTION check_span();

CREATE FUNCTION check_version_digest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF encode(sha256(NEW.snapshot), 'hex') <> NEW.sha256 THEN
        RAISE EXCEPTION 'the digest is not that of the captured bytes'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER version_digest_is_true BEFORE INSERT ON corpus_sourceversion
    FOR EACH ROW EXECUTE FUNCTION check_version_digest();
"""

UNCHECK = """
DROP TRIGGER version_digest_is_true ON corpus_sourceversion;
DROP FUNCTION check_version_digest;
DROP TRIGGER span_is_exact ON corpus_span;
DROP FUNCTION check_span;
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]
    operations = [migrations.RunSQL(CHECK, UNCHECK)]
