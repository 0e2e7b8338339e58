package dev.rlm.collector.otlp;

import java.io.IOException;
import java.util.function.IntConsumer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Request of OTLP, whose records are read one after the other: only one of them is a tree at a time. */
public interface ExportRequest {
    /** Resource or scope of those that name none. */
    ObjectNode NONE = JsonNodeFactory.instance.objectNode();

    /**
     * Reads all records.
     *
     * @param memory receives about how many bytes the next part of a tree takes, before it is made; it may throw
     * @throws MalformedException if it is no such request; records that come before that have been given
     */
    void read(IntConsumer memory, Reader reader) throws MalformedException, IOException;

    /** Returns a request in protobuf. */
    static ExportRequest protobuf(Signal signal, byte[] body) {
        return new ProtobufRequest(signal, body);
    }

    /** Returns a request in JSON. */
    static ExportRequest json(Signal signal, byte[] body) {
        return new JsonRequest(signal, body);
    }

    /** Receiver of records, as the trees that OTLP's JSON has. */
    interface Reader {
        /** Takes a record; the resource's tree is the same for all that have it. */
        void record(ObjectNode resource, ObjectNode record) throws IOException;
    }
}
