"""An output names things of its own project, and is complete when its transaction ends.

A citation that joins an imported output later would make another output of it: whatever
belongs to an output is stored with it, or not at all.
"""

from django.db import migrations

CHECK = """
CREATE FUNCTION check_output() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM scoring_systemrun run JOIN claims_question question
            ON question.project_id = run.project_id
        WHERE run.id = NEW.run_id AND question.id = NEW.question_id
    ) THEN
        RAISE EXCEPTION 'an output answers a question of its own project'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER output_is_of_its_project BEFORE INSERT ON scoring_output
    FOR EACH ROW EXECUTE FUNCTION check_output();

CREATE FUNCTION check_output_is_new(output uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM scoring_output WHERE id = output AND created_at >= transaction_timestamp()
    ) THEN
        RAISE EXCEPTION 'output %: what belongs to it was stored with it', output
            USING ERRCODE = 'check_violation';
    END IF;
END $$;

CREATE FUNCTION check_output_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_output_is_new(NEW.output_id);
    IF NEW."end" > (SELECT char_length(text) FROM scoring_output WHERE id = NEW.output_id) THEN
        RAISE EXCEPTION 'output claim %-%: the output ends before', NEW.start, NEW."end"
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.claim_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM claims_claim claim JOIN scoring_output output
            ON output.question_id = claim.question_id
        WHERE claim.id = NEW.claim_id AND output.id = NEW.output_id
    ) THEN
        RAISE EXCEPTION 'the matched claim answers another question than the output'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER output_claim_is_within BEFORE INSERT ON scoring_outputclaim
    FOR EACH ROW EXECUTE FUNCTION check_output_claim();

CREATE FUNCTION check_place_of_output() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    output uuid;
    cited uuid;
BEGIN
    IF TG_TABLE_NAME = 'scoring_retrieved' THEN
        output := (to_jsonb(NEW) ->> 'output_id')::uuid;
    ELSE
        SELECT output_id INTO output FROM scoring_outputclaim
        WHERE id = (to_jsonb(NEW) ->> 'output_claim_id')::uuid;
    END IF;
    PERFORM check_output_is_new(output);
    cited := coalesce(NEW.version_id,
        (SELECT version_id FROM corpus_span WHERE id = NEW.span_id));
    IF NOT EXISTS (
        SELECT FROM scoring_output
            JOIN scoring_systemrun run ON run.id = scoring_output.run_id
            JOIN corpus_source source ON source.project_id = run.project_id
            JOIN corpus_sourceversion version ON version.source_id = source.id
        WHERE scoring_output.id = output AND version.id = cited
    ) THEN
        RAISE EXCEPTION 'what an output cites or retrieved is of its own project'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER retrieved_is_of_its_project BEFORE INSERT ON scoring_retrieved
    FOR EACH ROW EXECUTE FUNCTION check_place_of_output();
CREATE TRIGGER citation_is_of_its_project BEFORE INSERT ON scoring_citation
    FOR EACH ROW EXECUTE FUNCTION check_place_of_output();
"""

UNCHECK = """
DROP TRIGGER citation_is_of_its_project ON scoring_citation;
DROP TRIGGER retrieved_is_of_its_project ON scoring_retrieved;
DROP FUNCTION check_place_of_output;
DROP TRIGGER output_claim_is_within ON scoring_outputclaim;
DROP FUNCTION check_output_claim;
DROP FUNCTION check_output_is_new;
DROP TRIGGER output_is_of_its_project ON scoring_output;
DROP FUNCTION check_output;
"""


class Migration(migrations.Migration):
    dependencies = [("scoring", "0001_initial"), ("corpus", "0002_spans_are_exact")]
    operations = [migrations.RunSQL(CHECK, UNCHECK)]
