package dev.rlm.collector.otlp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import tools.jackson.databind.node.ObjectNode;

/** Request in protobuf. Its outer messages are the same for all signals. */
final class ProtobufRequest implements ExportRequest {
    private final Signal signal;
    private final byte[] body;

    ProtobufRequest(Signal signal, byte[] body) {
        this.signal = signal;
        this.body = body;
    }

    @Override
    public void read(IntConsumer memory, Reader reader) throws MalformedException, IOException {
        ProtoReader in = new ProtoReader(ByteBuffer.wrap(body));
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field == 1) {
                resource(in.bytes(), memory, reader);
            } else {
                in.skip();
            }
        }
    }

    private void resource(ByteBuffer message, IntConsumer memory, Reader reader)
            throws MalformedException, IOException {
        ObjectNode resource = NONE;
        ProtoReader first = new ProtoReader(message);
        for (int field = first.next(); field != 0; field = first.next()) {
            if (field == 1) {
                resource = ProtoMessage.RESOURCE.read(first.bytes(), memory);
            } else {
                first.skip();
            }
        }
        ProtoReader in = new ProtoReader(message);
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field == 2) {
                records(in.bytes(), resource, memory, reader);
            } else {
                in.skip();
            }
        }
    }

    private void records(ByteBuffer scope, ObjectNode resource, IntConsumer memory, Reader reader)
            throws MalformedException, IOException {
        ProtoReader in = new ProtoReader(scope);
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field == 2) {
                reader.record(resource, signal.message().read(in.bytes(), memory));
            } else {
                in.skip();
            }
        }
    }
}
