"""A decided state rests on a verdict, and carrying a verdict over loosens no independence.

The state of an item is the one thing about it that may change, and it is what lists, counts and
releases go by. So when a transaction ends that decided an item or brought a verdict, the state of
the item is what its standing verdict says, unless a fresh round put it back into review.

A carried item is the original's item again: who adjudicated the original does not judge it.
"""

from django.db import migrations

CHECK = """
CREATE FUNCTION check_state_rests_on_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE CONSTRAINT TRIGGER state_rests_on_verdict AFTER INSERT OR UPDATE OF state ON review_item
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state IN ('accepted', 'rejected'))
    EXECUTE FUNCTION check_state_rests_on_verdict('id');
CREATE CONSTRAINT TRIGGER state_rests_on_verdict AFTER INSERT ON review_verdict
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION check_state_rests_on_verdict('item_id');

CREATE OR REPLACE FUNCTION check_judgement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    assignment review_assignment%ROWTYPE;
    amended review_judgement%ROWTYPE;
BEGIN
    SELECT * INTO assignment FROM review_assignment WHERE id = NEW.assignment_id;
    IF assignment.reviewer_id <> NEW.reviewer_id OR assignment.item_id <> NEW.item_id THEN
        RAISE EXCEPTION 'a judgement belongs to the reviewer and item of its assignment'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.amends_id IS NOT NULL THEN
        SELECT * INTO amended FROM review_judgement WHERE id = NEW.amends_id;
        IF amended.reviewer_id <> NEW.reviewer_id OR amended.item_id <> NEW.item_id THEN
            RAISE EXCEPTION 'a reviewer amends only their own judgement of the same item'
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    IF EXISTS (
        SELECT FROM review_verdict
        WHERE by_id = NEW.reviewer_id AND (item_id = NEW.item_id OR item_id IN (
            SELECT original.item_id FROM review_verdict carried
                JOIN review_verdict original ON original.id = carried.carried_from_id
            WHERE carried.item_id = NEW.item_id
        ))
    ) THEN
        RAISE EXCEPTION 'nobody judges an item they adjudicated'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""

UNCHECK = """
CREATE OR REPLACE FUNCTION check_judgement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    assignment review_assignment%ROWTYPE;
    amended review_judgement%ROWTYPE;
BEGIN
    SELECT * INTO assignment FROM review_assignment WHERE id = NEW.assignment_id;
    IF assignment.reviewer_id <> NEW.reviewer_id OR assignment.item_id <> NEW.item_id THEN
        RAISE EXCEPTION 'a judgement belongs to the reviewer and item of its assignment'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.amends_id IS NOT NULL THEN
        SELECT * INTO amended FROM review_judgement WHERE id = NEW.amends_id;
        IF amended.reviewer_id <> NEW.reviewer_id OR amended.item_id <> NEW.item_id THEN
            RAISE EXCEPTION 'a reviewer amends only their own judgement of the same item'
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    IF EXISTS (SELECT 1 FROM review_verdict
               WHERE item_id = NEW.item_id AND by_id = NEW.reviewer_id) THEN
        RAISE EXCEPTION 'nobody judges an item they adjudicated'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER state_rests_on_verdict ON review_verdict;
DROP TRIGGER state_rests_on_verdict ON review_item;
DROP FUNCTION check_state_rests_on_verdict;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0003_carried_verdicts")]
    operations = [migrations.RunSQL(CHECK, UNCHECK)]
