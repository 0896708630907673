"""Independence that no bug in the application can undo.

A judgement belongs to the person who held the assignment and names that assignment's
item; nobody adjudicates an item they judged.
"""

from django.db import migrations

CHECK = """
CREATE FUNCTION check_judgement() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER judgement_is_own BEFORE INSERT ON review_judgement
    FOR EACH ROW EXECUTE FUNCTION check_judgement();

CREATE FUNCTION check_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM review_judgement
               WHERE item_id = NEW.item_id AND reviewer_id = NEW.by_id) THEN
        RAISE EXCEPTION 'nobody adjudicates an item they judged'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER adjudicator_is_another BEFORE INSERT ON review_verdict
    FOR EACH ROW EXECUTE FUNCTION check_verdict();
"""

UNCHECK = """
DROP TRIGGER adjudicator_is_another ON review_verdict;
DROP FUNCTION check_verdict;
DROP TRIGGER judgement_is_own ON review_judgement;
DROP FUNCTION check_judgement;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial")]
    operations = [migrations.RunSQL(CHECK, UNCHECK)]
