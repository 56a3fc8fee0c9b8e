-- The search of a question, as a function: PostgreSQL keeps its plan for as long as a connection
-- lives (docs/decisions/0065-search-at-scale.md). It looks through the signs of a large tenant's
-- vectors, and compares those that are likely to be nearest (docs/decisions/0068-signs-of-vectors.md).
--
-- `migrate` installs it under a name that holds the hash of this file, and query/search/retrieval.py
-- calls that name (config/database/functions.py): a search that changes is another function.
--
-- It is STABLE, so that all of it sees one snapshot, the caller's: of a source that is synced
-- meanwhile the generation that answers is seen whole, old or new (`scope` says which it is, and rows
-- of others are passed over before anything is computed of them); and the space that is searched is
-- the active one, or `active_space` tells that it is not. It runs as whoever calls it, behind
-- their row security; and the tenant is a parameter of every part of it.
--
-- The settings hold the plan, which is made without a look at the tenant: each big table is read
-- through its key, whatever the tables' sizes are when it is made.
--
-- `question` turns the terms that occur in the scope into a vector of their idf (terms.py: idf), with
-- TERM_DIMENSIONS (sources/language) dimensions.
-- `OFFSET 0` keeps a lookup a lookup: a plan that is made before there are statistics, or for
-- tenants of a few sources, would else read all of a tenant's rows and compare their sources.
-- Of a chunk that is posted (sources/indexing/postings.py) the terms of the question alone are read;
-- the others' weights are scanned. What is posted may be of another generation, or gone: `posted` is
-- walked, best first, until enough of it answers.
-- A chunk may have several windows: of four times as many windows as chunks are looked for.
-- A candidate's fused score adds, as shares of the best in its language, by how much its cosine is
-- above the mean, and its BM25.
--
-- Where the scope has more than `exact_up_to` chunks, the likely vectors of what is signed
-- (sources/indexing/postings.py) are compared, in each language, a twenty-fifth of them, but from 800
-- to 4,000: those whose signs have the largest product with the question. Its numbers are rounded to
-- eight levels, whose three binary digits are `asked_signs`; so the product is a constant, less the
-- bits that differ, those of each digit as often as it counts. The vectors that are not signed are
-- compared as ever.
-- Mean and deviation are of all: the mean exactly, for the mean of the cosines is the cosine of the
-- mean; the deviation from samples, whose spread stands for that of their row. What is signed may be
-- of another generation, or gone: its vectors are passed over, and change mean and deviation little.
CREATE FUNCTION search_passages(
    of_tenant uuid, in_sources uuid[], in_space smallint, asked halfvec, asked_terms integer[],
    most integer, most_kept integer, exact_up_to integer, asked_signs bit varying[]
) RETURNS TABLE (
    active_space smallint, chunk_id bigint, source_id uuid, external_id text, place text,
    link text, title text, text text, location text, section_title text, level text,
    language text, synced_at timestamptz, cosine float8, lexical float8, fused float8,
    mean float8, deviation float8, neighbours bigint, reading bytea, heard integer[]
)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET work_mem = '32MB'
AS $function$
#variable_conflict use_column
BEGIN
RETURN QUERY
WITH scope AS MATERIALIZED (
    SELECT id, first_generation, generation, chunks_count, posted_through,
           CASE WHEN sum(chunks_count) OVER () > exact_up_to THEN coalesce((
               SELECT max(v.last_chunk)
               FROM sources_vectorsigns v
               WHERE v.tenant_id = of_tenant AND v.source_id = s.id AND v.space = in_space
           ), 0) ELSE 0 END AS signed_through
    FROM sources_source s
    WHERE tenant_id = of_tenant AND (in_sources IS NULL OR id = ANY(in_sources))
),
frequency AS MATERIALIZED (
    SELECT term, sum(t.chunks_count)::float8 AS chunks
    FROM sources_sourceterm t, LATERAL (
        SELECT first_generation, generation
        FROM sources_source
        WHERE tenant_id = of_tenant AND id = t.source_id
        OFFSET 0
    ) source
    WHERE t.tenant_id = of_tenant AND term = ANY(asked_terms)
      AND (in_sources IS NULL OR t.source_id = ANY(in_sources))
      AND t.generation BETWEEN source.first_generation AND source.generation
    GROUP BY term
    HAVING sum(t.chunks_count) > 0
),
idf AS MATERIALIZED (
    SELECT term,
           ln(1 + greatest(
               (SELECT sum(chunks_count)::float8 FROM scope) - chunks + 0.5, 0.5
           ) / (chunks + 0.5)) AS weight
    FROM frequency
),
question AS MATERIALIZED (
    SELECT ('{' || string_agg(term || ':' || weight::float4, ',') || '}/1000000000'
           )::sparsevec AS weights
    FROM idf
),
signed AS MATERIALIZED (
    SELECT scope.first_generation, scope.generation, packed.*
    FROM scope, LATERAL (
        SELECT v.source_id, v.language, v.vectors_count, v.chunk_ids, v.signs,
               -(v.mean <#> asked::vector) AS mean, v.sample
        FROM sources_vectorsigns v
        WHERE v.tenant_id = of_tenant AND v.source_id = scope.id AND v.space = in_space
        OFFSET 0
    ) packed
    WHERE scope.signed_through > 0
),
compared AS MATERIALIZED (
    SELECT vector.*
    FROM scope, LATERAL (
        SELECT e.source_id, e.chunk_id, e.language, -(e.embedding <#> asked) AS cosine
        FROM sources_chunkembedding e
        WHERE e.tenant_id = of_tenant AND e.source_id = scope.id AND e.space = in_space
          AND e.chunk_id > scope.signed_through
          AND e.generation BETWEEN scope.first_generation AND scope.generation
          AND e.removed_in > scope.generation
        OFFSET 0
    ) vector
),
level AS MATERIALIZED (
    SELECT language, sum(vectors_count * mean) / sum(vectors_count) AS mean,
           sqrt(greatest(
               sum(vectors_count * (variance + mean * mean)) / sum(vectors_count)
               - (sum(vectors_count * mean) / sum(vectors_count))
               * (sum(vectors_count * mean) / sum(vectors_count)), 0
           )) AS deviation,
           sum(vectors_count)::bigint AS neighbours
    FROM (
        SELECT language, vectors_count, mean, (
                   SELECT avg((cosine - mean) * (cosine - mean))
                   FROM (SELECT -(unnest(sample) <#> asked) AS cosine) sampled
               ) AS variance
        FROM signed
        UNION ALL
        SELECT language, count(*), avg(cosine), var_pop(cosine)
        FROM compared
        GROUP BY language
    ) part
    GROUP BY language
),
dense AS (
    SELECT nearest.source_id, nearest.chunk_id
    FROM level, LATERAL (
        SELECT source_id, chunk_id
        FROM (
            SELECT likely.source_id, likely.chunk_id, exact.cosine
            FROM (
                SELECT source_id, chunk_id, first_generation, generation
                FROM (
                    SELECT source_id, first_generation, generation, unnest(chunk_ids) AS chunk_id,
                           unnest(signs) AS signs
                    FROM signed
                    WHERE signed.language = level.language
                ) each_vector
                ORDER BY 4 * (signs <~> (SELECT asked_signs[1]))
                         + 2 * (signs <~> (SELECT asked_signs[2]))
                         + (signs <~> (SELECT asked_signs[3]))
                LIMIT greatest(800, least(level.neighbours / 25, 4000))
            ) likely, LATERAL (
                SELECT -(e.embedding <#> asked) AS cosine
                FROM sources_chunkembedding e
                WHERE e.tenant_id = of_tenant AND e.source_id = likely.source_id
                  AND e.space = in_space AND e.chunk_id = likely.chunk_id
                  AND e.generation BETWEEN likely.first_generation AND likely.generation
                  AND e.removed_in > likely.generation
                OFFSET 0
            ) exact
            UNION ALL
            (
                SELECT source_id, chunk_id, cosine
                FROM compared
                WHERE compared.language = level.language
                ORDER BY cosine DESC, chunk_id
                LIMIT 4 * most
            )
        ) windows
        GROUP BY source_id, chunk_id
        ORDER BY max(cosine) DESC, chunk_id
        LIMIT most
    ) nearest
),
posted AS (
    SELECT posting >> 22 AS chunk_id, sum((posting & 4194303) * weight) / 1e6 AS bm25
    FROM (
        SELECT idf.weight, unnest(written.postings) AS posting
        FROM scope CROSS JOIN idf, LATERAL (
            SELECT p.postings
            FROM sources_termpostings p
            WHERE p.tenant_id = of_tenant AND p.source_id = scope.id AND p.term = idf.term
            OFFSET 0
        ) written
        WHERE scope.posted_through > 0
    ) each_posting
    GROUP BY posting >> 22
),
lexical AS (
    SELECT source_id, chunk_id
    FROM (
        (
            SELECT chunk.source_id, best.chunk_id, best.bm25
            FROM (SELECT * FROM posted ORDER BY bm25 DESC, chunk_id) best
            JOIN sources_chunk chunk ON chunk.id = best.chunk_id AND chunk.tenant_id = of_tenant
            JOIN sources_source source
              ON source.id = chunk.source_id AND source.tenant_id = of_tenant,
            LATERAL (
                SELECT
                FROM sources_chunkterms t
                WHERE t.tenant_id = of_tenant AND t.source_id = chunk.source_id
                  AND t.chunk_id = chunk.id
                  AND t.generation BETWEEN source.first_generation AND source.generation
                  AND t.removed_in > source.generation
                OFFSET 0
            ) answering
            ORDER BY best.bm25 DESC, best.chunk_id
            LIMIT most
        )
        UNION ALL
        (
            SELECT scanned.*
            FROM scope, LATERAL (
                SELECT t.source_id, t.chunk_id,
                       -(t.weights <#> (SELECT weights FROM question)) AS bm25
                FROM sources_chunkterms t
                WHERE t.tenant_id = of_tenant AND t.source_id = scope.id
                  AND t.chunk_id > scope.posted_through
                  AND t.generation BETWEEN scope.first_generation AND scope.generation
                  AND t.removed_in > scope.generation
                OFFSET 0
            ) scanned
            WHERE (SELECT weights FROM question) IS NOT NULL
            ORDER BY bm25 DESC, chunk_id
            LIMIT most
        )
    ) both_ways
    WHERE bm25 > 0
    ORDER BY bm25 DESC, chunk_id
    LIMIT most
),
candidate AS MATERIALIZED (
    SELECT source_id, chunk_id FROM dense
    UNION
    SELECT source_id, chunk_id FROM lexical
),
measured AS MATERIALIZED (
    SELECT candidate.source_id, candidate.chunk_id, vector.language, vector.cosine,
           coalesce((
               SELECT -(t.weights <#> (SELECT weights FROM question))
               FROM sources_chunkterms t
               WHERE t.tenant_id = of_tenant AND t.source_id = candidate.source_id
                 AND t.chunk_id = candidate.chunk_id
           ), 0) AS lexical
    FROM candidate
    JOIN LATERAL (
        SELECT e.language, max(-(e.embedding <#> asked)) AS cosine
        FROM sources_chunkembedding e
        WHERE e.tenant_id = of_tenant AND e.source_id = candidate.source_id
          AND e.space = in_space AND e.chunk_id = candidate.chunk_id
        GROUP BY e.language
    ) vector ON true
),
fused AS (
    SELECT measured.*, level.mean, level.deviation, level.neighbours,
           0.5 * greatest(cosine - mean, 0)
               / greatest(max(cosine - mean) OVER in_language, 1e-6)
           + 0.5 * lexical / greatest(max(lexical) OVER in_language, 1e-6) AS fused
    FROM measured JOIN level ON level.language = measured.language
    WINDOW in_language AS (PARTITION BY measured.language)
),
kept AS MATERIALIZED (
    SELECT *
    FROM (
        SELECT *, row_number() OVER (
            PARTITION BY language ORDER BY fused DESC, chunk_id
        ) AS place
        FROM fused
    ) ranked
    WHERE place <= most_kept
)
SELECT active.id, chunk.id, chunk.source_id, document.external_id, document.place, document.link,
       document.title::text, chunk.text, chunk.location::text, chunk.section_title::text,
       chunk.level::text, chunk.language::text,
       coalesce(source.last_synced_at, document.synced_at),
       kept.cosine, kept.lexical, kept.fused, kept.mean, kept.deviation, kept.neighbours,
       reading.content, (SELECT array_agg(term) FROM frequency)
FROM (SELECT id FROM sources_embeddingspace WHERE is_active) active
LEFT JOIN (
    kept
    JOIN sources_source source ON source.id = kept.source_id AND source.tenant_id = of_tenant
    JOIN sources_chunk chunk ON chunk.id = kept.chunk_id AND chunk.tenant_id = of_tenant
    JOIN sources_document document
      ON document.id = chunk.document_id AND document.tenant_id = of_tenant
    LEFT JOIN LATERAL (
        SELECT r.content
        FROM sources_chunkreading r
        WHERE r.tenant_id = of_tenant AND r.source_id = kept.source_id
          AND r.space = in_space AND r.chunk_id = kept.chunk_id
        OFFSET 0
    ) reading ON true
) ON true
ORDER BY kept.fused DESC, chunk.id;
END
$function$;
