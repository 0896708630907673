"""The check of successors named its tables ``old`` and ``new``, which in a trigger are rows."""

from django.db import migrations

CHECK = """
CREATE OR REPLACE FUNCTION check_successor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM corpus_span before
            JOIN corpus_sourceversion earlier ON earlier.id = before.version_id,
            corpus_span again
            JOIN corpus_sourceversion later ON later.id = again.version_id
        WHERE before.id = NEW.span_id AND again.id = NEW.successor_id
            AND before.exact = again.exact
            AND earlier.source_id = later.source_id AND earlier.number < later.number
    ) THEN
        RAISE EXCEPTION 'a successor has the same words in a later version of the same source'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_encodings")]
    operations = [migrations.RunSQL(CHECK, migrations.RunSQL.noop)]
