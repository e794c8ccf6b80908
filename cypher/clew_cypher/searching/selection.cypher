// name: selectable_documents(corpus)
// mode: read
// returns: id, uri, title, file_uri, accepted_at, metadata, chunks
// What documents are chosen by: file_uri is that of the file whose record one is. A version can be
// searched while a newer one waits or was put off.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.status IS NOT NULL AND (d.status = 'ready' OR d.ready_at IS NOT NULL)
OPTIONAL MATCH (file:Document {id: d.parent_id})
RETURN d.id AS id, d.uri AS uri, d.title AS title, file.uri AS file_uri,
       toString(coalesce(d.accepted_at, d.created_at, file.accepted_at)) AS accepted_at,
       d.metadata AS metadata, coalesce(d.chunks, 0) AS chunks

// name: nearest_of_documents(corpus, document_ids, vector, limit)
// mode: read
// returns: id, score
// Every chunk of some documents is compared: for few of them, which a search by index may pass by.
CYPHER 25
UNWIND $document_ids AS document_id
MATCH (:Document {id: document_id, corpus: $corpus})<-[:PART_OF]-(c:Chunk)
WHERE c.embedding IS NOT NULL
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score
RETURN c.id AS id, score
ORDER BY score DESC, id
LIMIT $limit
