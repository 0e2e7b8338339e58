package dev.rlm.journal.line;

import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Parser of the journal's lines, however long a text in them is. */
final class LineParser {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private LineParser() {}

    static JsonParser parser(byte[] bytes, int from, int length) {
        return FACTORY.createParser(ObjectReadContext.empty(), bytes, from, length);
    }
}
