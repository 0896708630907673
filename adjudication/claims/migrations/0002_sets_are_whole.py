"""An evidence set is complete when its transaction ends, and nothing joins it afterwards.

Rows that nobody can change are not enough: another member would make it another set. So the
digest of a set is that of its members and rules whenever a transaction that touched them
ends, in the same canonical form as ``claims.rules.route_digest``. The spans of a contradiction
come with it, or not at all.
"""

from django.db import migrations

CHECK = """
CREATE FUNCTION check_set_is_whole() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    set_id uuid;
    stored text;
    route text;
BEGIN
    set_id := CASE TG_TABLE_NAME
        WHEN 'claims_evidenceset' THEN (to_jsonb(NEW) ->> 'id')::uuid
        ELSE (to_jsonb(NEW) ->> 'evidence_set_id')::uuid END;
    SELECT sha256 INTO stored FROM claims_evidenceset WHERE id = set_id;
    SELECT '{"members":['
        || (SELECT coalesce(string_agg('"' || span_id || '"', ',' ORDER BY span_id::text COLLATE "C"), '')
            FROM claims_evidencemember WHERE evidence_set_id = set_id)
        || '],"rules":['
        || (SELECT coalesce(string_agg('"' || rule_id || '"', ',' ORDER BY rule_id::text COLLATE "C"), '')
            FROM claims_evidencesetrule WHERE evidence_set_id = set_id)
        || ']}' INTO route;
    IF encode(sha256(convert_to(route, 'UTF8')), 'hex') IS DISTINCT FROM stored THEN
        RAISE EXCEPTION 'evidence set %: its digest is not that of its members and rules', set_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER set_is_whole AFTER INSERT ON claims_evidenceset
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_set_is_whole();
CREATE CONSTRAINT TRIGGER set_is_whole AFTER INSERT ON claims_evidencemember
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_set_is_whole();
CREATE CONSTRAINT TRIGGER set_is_whole AFTER INSERT ON claims_evidencesetrule
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_set_is_whole();

CREATE FUNCTION check_conflict_is_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM claims_contradiction
                   WHERE id = NEW.contradiction_id AND at >= transaction_timestamp()) THEN
        RAISE EXCEPTION 'contradiction %: its spans were recorded with it', NEW.contradiction_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER conflict_is_new BEFORE INSERT ON claims_contradictionspan
    FOR EACH ROW EXECUTE FUNCTION check_conflict_is_new();
"""

UNCHECK = """
DROP TRIGGER conflict_is_new ON claims_contradictionspan;
DROP FUNCTION check_conflict_is_new;
DROP TRIGGER set_is_whole ON claims_evidencesetrule;
DROP TRIGGER set_is_whole ON claims_evidencemember;
DROP TRIGGER set_is_whole ON claims_evidenceset;
DROP FUNCTION check_set_is_whole;
"""


class Migration(migrations.Migration):
    dependencies = [("claims", "0001_initial")]
    operations = [migrations.RunSQL(CHECK, UNCHECK)]
