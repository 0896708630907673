"""Texts in other encodings than UTF-8, held to their bytes by the database as well.

``bytes_of`` is the one place where the database knows how words were captured: the text of a
version must be what its bytes read as, and a span's bytes those of its words.
"""

from django.db import migrations, models

CHECK = """
CREATE FUNCTION bytes_of(words text, encoding text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT convert_to(words, CASE encoding
        WHEN 'utf-8' THEN 'UTF8'
        WHEN 'iso-8859-1' THEN 'LATIN1'
        WHEN 'iso-8859-2' THEN 'LATIN2'
        WHEN 'iso-8859-5' THEN 'ISO_8859_5'
        WHEN 'iso-8859-7' THEN 'ISO_8859_7'
        WHEN 'iso-8859-9' THEN 'LATIN5'
        WHEN 'iso-8859-15' THEN 'LATIN9'
        WHEN 'koi8-r' THEN 'KOI8R'
        WHEN 'koi8-u' THEN 'KOI8U'
        ELSE replace(encoding, 'windows-', 'WIN')
    END)
$$;

CREATE OR REPLACE FUNCTION check_span() RETURNS trigger LANGUAGE plpgsql AS $$
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
       <> bytes_of(NEW.exact, version.encoding) THEN
        RAISE EXCEPTION 'span %-%: these are not the bytes at that place',
            NEW.byte_start, NEW.byte_end USING ERRCODE = 'check_violation';
    END IF;
    IF encode(sha256(convert_to(NEW.exact, 'UTF8')), 'hex') <> NEW.sha256 THEN
        RAISE EXCEPTION 'span %-%: the digest is not that of its words', NEW.start, NEW."end"
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION check_version_digest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF encode(sha256(NEW.snapshot), 'hex') <> NEW.sha256 THEN
        RAISE EXCEPTION 'the digest is not that of the captured bytes'
            USING ERRCODE = 'check_violation';
    END IF;
    IF bytes_of(NEW.text, NEW.encoding) <> NEW.snapshot THEN
        RAISE EXCEPTION 'the text is not what the captured bytes read as'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""

UNCHECK = """
CREATE OR REPLACE FUNCTION check_version_digest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF encode(sha256(NEW.snapshot), 'hex') <> NEW.sha256 THEN
        RAISE EXCEPTION 'the digest is not that of the captured bytes'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION check_span() RETURNS trigger LANGUAGE plpgsql AS $$
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

DROP FUNCTION bytes_of;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('corpus', '0003_tightening_and_successors'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='sourceversion',
            name='version_bytes_once',
        ),
        migrations.AddConstraint(
            model_name='sourceversion',
            constraint=models.UniqueConstraint(fields=('source', 'sha256', 'encoding'), name='version_bytes_once'),
        ),
        migrations.AddConstraint(
            model_name='sourceversion',
            constraint=models.CheckConstraint(condition=models.Q(('encoding__in', ['utf-8', 'iso-8859-1', 'iso-8859-2', 'iso-8859-5', 'iso-8859-7', 'iso-8859-9', 'iso-8859-15', 'windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256', 'windows-1257', 'koi8-r', 'koi8-u'])), name='version_encoding_known'),
        ),
        migrations.RunSQL(CHECK, UNCHECK),
    ]
