"""The same rules, at less cost for every passage of an import.

Foreign keys lose indexes that repeat the beginning of a constraint's. What a version must
satisfy is asked in the trigger's condition, so that only a fault calls a function; it now
holds in replication sessions as well. References are checked with each statement: put off
to the commit, millions of checks would wait in the server's memory. A time that cannot be
established is seen at a glance, before the pattern is tried.
"""

from django.db import migrations, models
import django.db.models.deletion

TRIGGERS = """
DROP TRIGGER version_digest_is_true ON corpus_sourceversion;
CREATE TRIGGER version_digest_is_true BEFORE INSERT ON corpus_sourceversion
    FOR EACH ROW
    WHEN (encode(sha256(NEW.snapshot), 'hex') <> NEW.sha256
          OR bytes_of(NEW.text, NEW.encoding) <> NEW.snapshot)
    EXECUTE FUNCTION check_version_digest();
ALTER TABLE corpus_sourceversion ENABLE ALWAYS TRIGGER version_digest_is_true;
ALTER TABLE corpus_span ENABLE ALWAYS TRIGGER span_is_exact;
"""

TRIGGERS_BEFORE = """
DROP TRIGGER version_digest_is_true ON corpus_sourceversion;
CREATE TRIGGER version_digest_is_true BEFORE INSERT ON corpus_sourceversion
    FOR EACH ROW EXECUTE FUNCTION check_version_digest();
ALTER TABLE corpus_span ENABLE TRIGGER span_is_exact;
"""

REFERENCES = """
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT conrelid::regclass AS of_table, conname FROM pg_constraint
        WHERE contype = 'f' AND conrelid IN (
            'corpus_source'::regclass, 'corpus_sourceversion'::regclass,
            'corpus_clearance'::regclass
        )
    LOOP
        EXECUTE format(
            'ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE INITIALLY {when}',
            one.of_table, one.conname
        );
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('corpus', '0005_successors_are_checked'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.AlterField(
            model_name='source',
            name='project',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='projects.project'),
        ),
        migrations.AlterField(
            model_name='sourceversion',
            name='source',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='corpus.source'),
        ),
        migrations.AlterField(
            model_name='clearance',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='clearances', to='corpus.sourceversion'),
        ),
        migrations.AlterField(
            model_name='clearance',
            name='reader_class',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.readerclass'),
        ),
        migrations.RemoveConstraint(
            model_name='sourceversion',
            name='version_times_readable',
        ),
        migrations.AddConstraint(
            model_name='sourceversion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('published', 'cannot-be-established'), ('published__regex', '^(cannot-be-established|-?\\d{4}(-\\d{2}(-\\d{2})?)?)$'), _connector='OR'), models.Q(('effective_from', 'cannot-be-established'), ('effective_from__regex', '^(cannot-be-established|-?\\d{4}(-\\d{2}(-\\d{2})?)?)$'), _connector='OR'), models.Q(('effective_to', 'cannot-be-established'), ('effective_to__regex', '^(cannot-be-established|-?\\d{4}(-\\d{2}(-\\d{2})?)?)$'), _connector='OR')), name='version_times_readable'),
        ),
        migrations.RunSQL(TRIGGERS, TRIGGERS_BEFORE),
        migrations.RunSQL(
            REFERENCES.replace("{when}", "IMMEDIATE"), REFERENCES.replace("{when}", "DEFERRED")
        ),
    ]
