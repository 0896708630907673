"""The digest of a version is checked once its row is there, still within the statement.

A trigger before each row makes COPY insert rows one by one; without any, it fills whole pages
and writes one record of each to the log. A version whose text or digest is not that of its
bytes is refused as before.
"""

from django.db import migrations

TRIGGER = """
DROP TRIGGER version_digest_is_true ON corpus_sourceversion;
CREATE TRIGGER version_digest_is_true {when} INSERT ON corpus_sourceversion
    FOR EACH ROW
    WHEN (encode(sha256(NEW.snapshot), 'hex') <> NEW.sha256
          OR bytes_of(NEW.text, NEW.encoding) <> NEW.snapshot)
    EXECUTE FUNCTION check_version_digest();
ALTER TABLE corpus_sourceversion ENABLE ALWAYS TRIGGER version_digest_is_true;
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0008_lists_and_statistics")]
    operations = [
        migrations.RunSQL(TRIGGER.replace("{when}", "AFTER"), TRIGGER.replace("{when}", "BEFORE"))
    ]
