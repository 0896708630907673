"""Vectors, kept without any type of an extension, and the index that needs one.

A server that lacks the extension migrates all the same; it is asked for only where a large
corpus is indexed. The application owns no table and may make none, so a function of their
owner makes the one that an index stands on.
"""

import adjudication.search.models
import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from adjudication.append_only import Protect

# Vectors are short enough to lie in their rows, where reading many of them takes a fraction of
# the time.
CHECKS = """
ALTER TABLE search_vector ALTER COLUMN numbers SET STORAGE MAIN;
ALTER TABLE search_vector ADD CONSTRAINT vector_has_direction CHECK (
    array_ndims(numbers) = 1
    AND array_position(numbers, NULL) IS NULL
    AND NOT numbers && ARRAY['NaN', 'Infinity', '-Infinity']::real[]
    AND NOT 0 = ALL (numbers)
);

CREATE FUNCTION check_vector() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    known int;
BEGIN
    SELECT cardinality(numbers) INTO known FROM search_vector WHERE model = NEW.model LIMIT 1;
    IF known <> cardinality(NEW.numbers) THEN
        RAISE EXCEPTION 'vectors of % have % numbers, not %',
            NEW.model, known, cardinality(NEW.numbers) USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER vector_is_as_long_as_others BEFORE INSERT ON search_vector
    FOR EACH ROW EXECUTE FUNCTION check_vector();
ALTER TABLE search_vector ENABLE ALWAYS TRIGGER vector_is_as_long_as_others;
"""

UNCHECK = """
DROP TRIGGER vector_is_as_long_as_others ON search_vector;
DROP FUNCTION check_vector;
"""

# A table of its own for each corpus: an index holds what it finds in its own rows, and building
# one makes nobody else wait. Only vectors of this corpus are in it, so no other can sway it.
INDEX = f"""
CREATE FUNCTION index_vectors(corpus bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    place text := 'search_nearest_' || corpus;
    size int;
BEGIN
    SELECT dimension INTO STRICT size FROM search_embeddedcorpus WHERE id = corpus;
    IF to_regclass(place) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I AS SELECT p.version_id, v.numbers::vector(%s) AS vector'
        ' FROM search_placed p JOIN search_vector v ON v.id = p.vector_id'
        ' WHERE p.corpus_id = %s ORDER BY p.version_id', place, size, corpus);
    EXECUTE format('CREATE INDEX ON %I USING hnsw (vector vector_cosine_ops)', place);
    EXECUTE format('REVOKE ALL ON %I FROM "{settings.APP_DATABASE_ROLE}"', place);
    EXECUTE format('GRANT SELECT ON %I TO "{settings.APP_DATABASE_ROLE}"', place);
    EXECUTE format('ANALYZE %I', place);
END $$;
ALTER FUNCTION index_vectors(bigint) SET maintenance_work_mem = '512MB';
DO $$ BEGIN
    EXECUTE format(
        'ALTER FUNCTION index_vectors(bigint) SET search_path = %I, pg_temp', current_schema()
    );
END $$;
REVOKE ALL ON FUNCTION index_vectors(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION index_vectors(bigint) TO "{settings.APP_DATABASE_ROLE}";
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('corpus', '0008_lists_and_statistics'),
    ]

    operations = [
        migrations.CreateModel(
            name='EmbeddedCorpus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=200)),
                ('contents', models.CharField(max_length=64, validators=[django.core.validators.RegexValidator('^[0-9a-f]{64}$', 'A SHA-256 digest has 64 hexadecimal digits.')])),
                ('total', models.PositiveIntegerField()),
                ('done', models.PositiveIntegerField(default=0)),
                ('dimension', models.PositiveIntegerField(null=True)),
                ('calls', models.PositiveBigIntegerField(default=0)),
                ('tokens', models.PositiveBigIntegerField(default=0, null=True)),
                ('asked_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('model', 'contents'), name='embedded_corpus_once'), models.CheckConstraint(condition=models.Q(('finished_at__isnull', True), models.Q(('done', models.F('total')), ('error', '')), _connector='OR'), name='finished_corpus_is_whole')],
            },
        ),
        migrations.CreateModel(
            name='Vector',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64, validators=[django.core.validators.RegexValidator('^[0-9a-f]{64}$', 'A SHA-256 digest has 64 hexadecimal digits.')])),
                ('numbers', django.contrib.postgres.fields.ArrayField(base_field=adjudication.search.models.RealField(), size=None)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('model', 'sha256'), name='vector_once')],
            },
        ),
        migrations.CreateModel(
            name='Placed',
            fields=[
                ('pk', models.CompositePrimaryKey('corpus', 'version', blank=True, editable=False, primary_key=True, serialize=False)),
                ('corpus', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='search.embeddedcorpus')),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='corpus.sourceversion')),
                ('vector', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='search.vector')),
            ],
        ),
        Protect("search_vector"),
        migrations.RunSQL(CHECKS, UNCHECK),
        migrations.RunSQL(INDEX, "DROP FUNCTION index_vectors(bigint)"),
    ]
