"""Guidelines, comments and flags: what people say beside the judgements.

A judgement names the version of the guidelines in force when it is sealed; the database says
which. Whoever declared a conflict of interest never has the set in hand again.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
import uuid
from django.conf import settings
from django.db import migrations, models

from adjudication.append_only import Protect

CHECK = """
CREATE FUNCTION check_guideline() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number <> 1 + coalesce(
        (SELECT max(number) FROM review_guideline WHERE project_id = NEW.project_id), 0
    ) THEN
        RAISE EXCEPTION 'guidelines are numbered one after the other'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.sha256 <> encode(sha256(convert_to(NEW.text, 'UTF8')), 'hex') THEN
        RAISE EXCEPTION 'the digest of guidelines is that of their text'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guideline_follows BEFORE INSERT ON review_guideline
    FOR EACH ROW EXECUTE FUNCTION check_guideline();

CREATE FUNCTION name_guideline() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.guideline_id := (
        SELECT guideline.id FROM review_guideline guideline
            JOIN review_item item ON item.project_id = guideline.project_id
        WHERE item.id = NEW.item_id ORDER BY guideline.number DESC LIMIT 1
    );
    RETURN NEW;
END $$;
CREATE TRIGGER judgement_names_guideline BEFORE INSERT ON review_judgement
    FOR EACH ROW EXECUTE FUNCTION name_guideline();

CREATE FUNCTION check_flag() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM review_assignment WHERE item_id = NEW.item_id AND reviewer_id = NEW.by_id
    ) THEN
        RAISE EXCEPTION 'only who had an item in hand flags it' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER flag_is_of_a_reviewer BEFORE INSERT ON review_flag
    FOR EACH ROW EXECUTE FUNCTION check_flag();

CREATE FUNCTION check_conflict_of_interest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM review_flag flag
            JOIN review_item flagged ON flagged.id = flag.item_id
            JOIN review_item item ON item.evidence_set_id = flagged.evidence_set_id
        WHERE item.id = NEW.item_id AND flag.by_id = NEW.reviewer_id AND flag.kind = 'conflict'
    ) THEN
        RAISE EXCEPTION 'nobody judges a set with which they declared a conflict of interest'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER no_conflict_of_interest BEFORE INSERT OR UPDATE OF state ON review_assignment
    FOR EACH ROW WHEN (NEW.state IN ('held', 'sealed'))
    EXECUTE FUNCTION check_conflict_of_interest();

CREATE FUNCTION check_conflict_releases() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM review_assignment assignment
            JOIN review_item item ON item.id = assignment.item_id
            JOIN review_item flagged ON flagged.evidence_set_id = item.evidence_set_id
        WHERE flagged.id = NEW.item_id AND assignment.reviewer_id = NEW.by_id
            AND assignment.state = 'held'
    ) THEN
        RAISE EXCEPTION 'a conflict of interest hands the set back'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER conflict_releases AFTER INSERT ON review_flag
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'conflict')
    EXECUTE FUNCTION check_conflict_releases();
"""

UNCHECK = """
DROP TRIGGER conflict_releases ON review_flag;
DROP FUNCTION check_conflict_releases;
DROP TRIGGER no_conflict_of_interest ON review_assignment;
DROP FUNCTION check_conflict_of_interest;
DROP TRIGGER flag_is_of_a_reviewer ON review_flag;
DROP FUNCTION check_flag;
DROP TRIGGER judgement_names_guideline ON review_judgement;
DROP FUNCTION name_guideline;
DROP TRIGGER guideline_follows ON review_guideline;
DROP FUNCTION check_guideline;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0001_initial'),
        ('review', '0004_states_rest_on_verdicts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='draft',
            name='unsent',
            field=models.JSONField(default=dict),
        ),
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('broken-excerpt', 'an excerpt is broken'), ('wrong-claim', 'the claim is wrong or not atomic'), ('not-competent', 'not in my competence'), ('conflict', 'conflict of interest'), ('other', 'something else')], max_length=16)),
                ('words', models.TextField(blank=True)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.item')),
            ],
        ),
        migrations.CreateModel(
            name='FlagResolution',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('flag', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='resolution', to='review.flag')),
            ],
        ),
        migrations.CreateModel(
            name='Guideline',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('sha256', models.CharField(max_length=64)),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='projects.project')),
            ],
        ),
        migrations.AddField(
            model_name='judgement',
            name='guideline',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.guideline'),
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('capacity', models.CharField(choices=[('reviewer', 'Reviewer'), ('adjudicator', 'Adjudicator'), ('lead', 'Lead')], max_length=12)),
                ('text', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='review.item')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='comment_has_text'), models.CheckConstraint(condition=models.Q(('capacity__in', ['reviewer', 'adjudicator', 'lead'])), name='comment_capacity_known')],
            },
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['broken-excerpt', 'wrong-claim', 'not-competent', 'conflict', 'other'])), name='flag_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='flag',
            constraint=models.CheckConstraint(condition=models.Q(('kind', 'other'), ('words', ''), _negated=True), name='flag_for_something_else_says_what'),
        ),
        migrations.AddConstraint(
            model_name='flagresolution',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='flag_resolution_has_reason'),
        ),
        migrations.AddConstraint(
            model_name='guideline',
            constraint=models.UniqueConstraint(fields=('project', 'number'), name='guideline_number_once'),
        ),
        migrations.AddConstraint(
            model_name='guideline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('text', ''), _negated=True), models.Q(('reason', ''), _negated=True)), name='guideline_has_text_and_reason'),
        ),
        Protect("review_guideline"),
        Protect("review_comment"),
        Protect("review_flag"),
        Protect("review_flagresolution"),
        migrations.RunSQL(CHECK, UNCHECK),
    ]
