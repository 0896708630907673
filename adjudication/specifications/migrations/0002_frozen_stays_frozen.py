"""A frozen specification and what belongs to it refuse every change in the database."""

from django.db import migrations

CHILDREN = (
    "specifications_eligibleversion",
    "specifications_specification_reader_classes",
    "specifications_specification_rules",
)

FREEZE = """
CREATE FUNCTION refuse_change_of_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'frozen' THEN
        RAISE EXCEPTION 'specification % is frozen: % refused', OLD.number, TG_OP
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER frozen_row BEFORE UPDATE OR DELETE ON specifications_specification
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_frozen();
CREATE TRIGGER frozen_truncate BEFORE TRUNCATE ON specifications_specification
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE specifications_specification ENABLE ALWAYS TRIGGER frozen_row;
ALTER TABLE specifications_specification ENABLE ALWAYS TRIGGER frozen_truncate;

CREATE FUNCTION refuse_change_below_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    frozen boolean;
BEGIN
    SELECT bool_or(state = 'frozen') INTO frozen FROM specifications_specification
        WHERE (TG_OP <> 'INSERT' AND id = OLD.specification_id)
           OR (TG_OP <> 'DELETE' AND id = NEW.specification_id);
    IF frozen THEN
        RAISE EXCEPTION '% belongs to a frozen specification: % refused', TG_TABLE_NAME, TG_OP
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
"""

CHILD = """
CREATE TRIGGER frozen_row BEFORE INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION refuse_change_below_frozen();
CREATE TRIGGER frozen_truncate BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER frozen_row;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER frozen_truncate;
"""

UNFREEZE = """
DROP TRIGGER frozen_row ON specifications_specification;
DROP TRIGGER frozen_truncate ON specifications_specification;
DROP FUNCTION refuse_change_of_frozen;
DROP FUNCTION refuse_change_below_frozen CASCADE;
""" + "".join(f"DROP TRIGGER frozen_truncate ON {table};" for table in CHILDREN)


class Migration(migrations.Migration):
    # claims' first migration creates refuse_change().
    dependencies = [("specifications", "0001_initial"), ("claims", "0001_initial")]
    operations = [
        migrations.RunSQL(
            FREEZE + "".join(CHILD.format(table=table) for table in CHILDREN), UNFREEZE
        )
    ]
