"""A released version takes no further item, whatever code path tries.

Items are inserted before their version (the foreign key is checked at the end of the
transaction), so the version's row closes the list.
"""

from django.db import migrations

CHECK = """
CREATE FUNCTION refuse_item_of_released() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM releases_annotationversion WHERE id = NEW.annotation_version_id) THEN
        RAISE EXCEPTION 'this annotation version is released: a further item is refused'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER released_is_closed BEFORE INSERT ON releases_frozenitem
    FOR EACH ROW EXECUTE FUNCTION refuse_item_of_released();
ALTER TABLE releases_frozenitem ENABLE ALWAYS TRIGGER released_is_closed;
"""

UNCHECK = """
DROP TRIGGER released_is_closed ON releases_frozenitem;
DROP FUNCTION refuse_item_of_released;
"""


class Migration(migrations.Migration):
    dependencies = [("releases", "0001_initial")]
    operations = [migrations.RunSQL(CHECK, UNCHECK)]
