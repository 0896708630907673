"""What puts a verdict in doubt is on record, and the item shows it.

A reopened verdict is in dispute until another one follows; an item comes back into review by a
fresh round alone; a verdict supersedes only one that was reopened or judged anew; and who declared
a conflict of interest with a set does not adjudicate it.
"""

from django.db import migrations

CHECK = """
CREATE FUNCTION check_reopening_disputes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM review_verdict verdict JOIN review_item item ON item.id = verdict.item_id
        WHERE verdict.id = NEW.verdict_id AND item.state IN ('accepted', 'rejected')
            AND NOT EXISTS (SELECT FROM review_verdict WHERE supersedes_id = verdict.id)
    ) THEN
        RAISE EXCEPTION 'a reopened verdict leaves its item in dispute'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER reopening_disputes AFTER INSERT ON review_reopening
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_reopening_disputes();

CREATE FUNCTION check_back_in_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM review_freshround WHERE item_id = NEW.id AND round = NEW.round
    ) THEN
        RAISE EXCEPTION 'item % was judged and nobody asked for a fresh round', NEW.id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER back_in_review_by_fresh_round BEFORE UPDATE OF state ON review_item
    FOR EACH ROW WHEN (
        OLD.state IN ('accepted', 'rejected', 'disputed') AND NEW.state IN ('proposed', 'in-review')
    )
    EXECUTE FUNCTION check_back_in_review();

CREATE OR REPLACE FUNCTION check_superseding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM review_verdict WHERE id = NEW.supersedes_id AND item_id = NEW.item_id
    ) THEN
        RAISE EXCEPTION 'a verdict supersedes only one on the same item'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM review_reopening WHERE verdict_id = NEW.supersedes_id)
        AND NOT EXISTS (
            SELECT FROM review_freshround fresh JOIN review_verdict before
                ON before.id = NEW.supersedes_id
            WHERE fresh.item_id = NEW.item_id AND fresh.round > before.round
        )
    THEN
        RAISE EXCEPTION 'a verdict supersedes only one that was reopened or judged anew'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION check_adjudicator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM review_flag flag
            JOIN review_item flagged ON flagged.id = flag.item_id
            JOIN review_item item ON item.evidence_set_id = flagged.evidence_set_id
        WHERE item.id = NEW.item_id AND flag.by_id = NEW.by_id AND flag.kind = 'conflict'
    ) THEN
        RAISE EXCEPTION 'nobody adjudicates a set with which they declared a conflict of interest'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER adjudicator_has_no_conflict BEFORE INSERT ON review_verdict
    FOR EACH ROW WHEN (NEW.by_id IS NOT NULL) EXECUTE FUNCTION check_adjudicator();
"""

UNCHECK = """
DROP TRIGGER adjudicator_has_no_conflict ON review_verdict;
DROP FUNCTION check_adjudicator;
CREATE OR REPLACE FUNCTION check_superseding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM review_verdict WHERE id = NEW.supersedes_id AND item_id = NEW.item_id
    ) THEN
        RAISE EXCEPTION 'a verdict supersedes only one on the same item'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER back_in_review_by_fresh_round ON review_item;
DROP FUNCTION check_back_in_review;
DROP TRIGGER reopening_disputes ON review_reopening;
DROP FUNCTION check_reopening_disputes;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0007_queue_index")]
    operations = [migrations.RunSQL(CHECK, UNCHECK)]
