"""Long lists come up at once, also right after an import.

The database plans by its statistics. After an import it plans for the small corpus of before
until it has counted anew, which it does by itself only after a minute or more. The
application does not own the tables, so a function of their owner counts for it.
"""

import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

ANALYZE = f"""
CREATE FUNCTION analyze_corpus() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    -- Small tables are never counted by themselves, and decide who may read how much.
    ANALYZE corpus_source, corpus_sourceversion, corpus_clearance, corpus_span,
        corpus_tightening, projects_readerclass, projects_membership_reader_classes;
END $$;
DO $$ BEGIN
    EXECUTE format(
        'ALTER FUNCTION analyze_corpus() SET search_path = %I, pg_temp', current_schema()
    );
END $$;
REVOKE ALL ON FUNCTION analyze_corpus() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_corpus() TO "{settings.APP_DATABASE_ROLE}";
"""


class Migration(migrations.Migration):

    dependencies = [
        ('corpus', '0007_later_clearances'),
        ('projects', '0001_initial'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='sourceversion',
            name='version_number_once',
        ),
        migrations.AddIndex(
            model_name='source',
            index=models.Index(models.F('project'), django.db.models.functions.text.Left('title', 200), models.F('id'), name='source_by_title'),
        ),
        migrations.AddConstraint(
            model_name='sourceversion',
            constraint=models.UniqueConstraint(fields=('source', 'number'), include=('id',), name='version_number_once'),
        ),
        migrations.RunSQL(ANALYZE, "DROP FUNCTION analyze_corpus()"),
    ]
