"""A check that has ended is a record: neither it nor what it found changes any more."""

from django.db import migrations

from adjudication.append_only import Protect

CHECK = """
CREATE FUNCTION refuse_change_of_ended_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.finished_at IS NOT NULL THEN
        RAISE EXCEPTION 'integrity check % is a record: % refused', OLD.id, TG_OP
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ended_row BEFORE UPDATE OR DELETE ON integrity_check
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_ended_check();
CREATE TRIGGER ended_truncate BEFORE TRUNCATE ON integrity_check
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE integrity_check ENABLE ALWAYS TRIGGER ended_row;
ALTER TABLE integrity_check ENABLE ALWAYS TRIGGER ended_truncate;

CREATE FUNCTION refuse_fault_of_ended_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM integrity_check
               WHERE id = NEW.check_run_id AND finished_at IS NOT NULL) THEN
        RAISE EXCEPTION 'integrity check % has ended: a further fault is refused', NEW.check_run_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_is_running BEFORE INSERT ON integrity_fault
    FOR EACH ROW EXECUTE FUNCTION refuse_fault_of_ended_check();
ALTER TABLE integrity_fault ENABLE ALWAYS TRIGGER check_is_running;
"""

UNCHECK = """
DROP TRIGGER check_is_running ON integrity_fault;
DROP FUNCTION refuse_fault_of_ended_check;
DROP TRIGGER ended_row ON integrity_check;
DROP TRIGGER ended_truncate ON integrity_check;
DROP FUNCTION refuse_change_of_ended_check;
"""


class Migration(migrations.Migration):
    dependencies = [("integrity", "0001_initial")]
    operations = [Protect("integrity_fault"), migrations.RunSQL(CHECK, UNCHECK)]
