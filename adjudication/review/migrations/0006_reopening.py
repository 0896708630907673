"""A verdict is put in question on record, and superseded only by one on the same item.

Who judged an item does not reopen it; only the verdict that stands can be reopened; and no
decided item falls back into dispute without a reopening.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
import uuid
from django.conf import settings
from django.db import migrations, models

from adjudication.append_only import Protect

CHECK = """
CREATE FUNCTION check_superseding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM review_verdict WHERE id = NEW.supersedes_id AND item_id = NEW.item_id
    ) THEN
        RAISE EXCEPTION 'a verdict supersedes only one on the same item'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER verdict_supersedes_its_own BEFORE INSERT ON review_verdict
    FOR EACH ROW WHEN (NEW.supersedes_id IS NOT NULL) EXECUTE FUNCTION check_superseding();

CREATE FUNCTION check_reopening() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_item uuid := (SELECT item_id FROM review_verdict WHERE id = NEW.verdict_id);
BEGIN
    IF EXISTS (SELECT FROM review_verdict WHERE supersedes_id = NEW.verdict_id) THEN
        RAISE EXCEPTION 'only the verdict that stands is reopened'
            USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (
        SELECT FROM review_judgement
        WHERE reviewer_id = NEW.by_id AND (item_id = of_item OR item_id IN (
            SELECT original.item_id FROM review_verdict carried
                JOIN review_verdict original ON original.id = carried.carried_from_id
            WHERE carried.item_id = of_item
        ))
    ) THEN
        RAISE EXCEPTION 'nobody reopens an item they judged' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER reopening_is_of_what_stands BEFORE INSERT ON review_reopening
    FOR EACH ROW EXECUTE FUNCTION check_reopening();

CREATE FUNCTION check_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM review_verdict verdict
            JOIN review_reopening reopening ON reopening.verdict_id = verdict.id
        WHERE verdict.item_id = NEW.id
            AND NOT EXISTS (SELECT FROM review_verdict WHERE supersedes_id = verdict.id)
    ) THEN
        RAISE EXCEPTION 'item % was decided and nobody reopened it', NEW.id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER dispute_after_verdict_is_reopened BEFORE UPDATE OF state ON review_item
    FOR EACH ROW WHEN (OLD.state IN ('accepted', 'rejected') AND NEW.state = 'disputed')
    EXECUTE FUNCTION check_reopened();

CREATE OR REPLACE FUNCTION check_state_rests_on_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_item uuid := (to_jsonb(NEW) ->> TG_ARGV[0])::uuid;
    -- As both are when the transaction ends, whatever they were on the way.
    stands text := (SELECT state FROM review_item WHERE id = of_item);
    says text;
    reopened boolean;
BEGIN
    SELECT decision, EXISTS (SELECT FROM review_reopening WHERE verdict_id = verdict.id)
        INTO says, reopened FROM review_verdict verdict WHERE item_id = of_item
        AND NOT EXISTS (SELECT FROM review_verdict WHERE supersedes_id = verdict.id);
    -- An item back in review keeps the verdict that its fresh round may supersede, and so does
    -- one in dispute again.
    IF stands <> 'in-review' AND NOT (stands = 'disputed' AND coalesce(reopened, false))
        AND says IS DISTINCT FROM stands
    THEN
        RAISE EXCEPTION 'item % is % and its standing verdict says %', of_item, stands,
            coalesce(says, 'nothing') USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
"""

UNCHECK = """
CREATE OR REPLACE FUNCTION check_state_rests_on_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_item uuid := (to_jsonb(NEW) ->> TG_ARGV[0])::uuid;
    -- As both are when the transaction ends, whatever they were on the way.
    stands text := (SELECT state FROM review_item WHERE id = of_item);
    says text := (SELECT decision FROM review_verdict verdict WHERE item_id = of_item
        AND NOT EXISTS (SELECT FROM review_verdict WHERE supersedes_id = verdict.id));
BEGIN
    -- An item back in review keeps the verdict that its fresh round may supersede.
    IF stands <> 'in-review' AND says IS DISTINCT FROM stands THEN
        RAISE EXCEPTION 'item % is % and its standing verdict says %', of_item, stands,
            coalesce(says, 'nothing') USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER dispute_after_verdict_is_reopened ON review_item;
DROP FUNCTION check_reopened;
DROP TRIGGER reopening_is_of_what_stands ON review_reopening;
DROP FUNCTION check_reopening;
DROP TRIGGER verdict_supersedes_its_own ON review_verdict;
DROP FUNCTION check_superseding;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('review', '0005_discussion'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='item',
            name='state',
            field=models.CharField(choices=[('proposed', 'proposed'), ('in-review', 'in review'), ('accepted', 'accepted'), ('rejected', 'rejected'), ('disputed', 'disputed')], default='proposed', max_length=12),
        ),
        migrations.CreateModel(
            name='Reopening',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('verdict', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='reopening', to='review.verdict')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='reopening_has_reason')],
            },
        ),
        Protect("review_reopening"),
        migrations.RunSQL(CHECK, UNCHECK),
    ]
