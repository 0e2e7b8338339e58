package dev.rlm.sinks.otel.backend;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.Map;

/** A connection of HTTP/2, as much of it as to answer gRPC's requests one after the other. */
final class Http2Connection implements HostileExchange {
    private static final int PREFACE = 24;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int WINDOW_UPDATE = 8;
    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int GRPC_PREFIX = 5;

    private final Socket socket;
    private final HostileServer.Behaviour behaviour;
    private final Stall stall;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int stream;

    Http2Connection(Socket socket, HostileServer.Behaviour behaviour, Stall stall) throws IOException {
        this.socket = socket;
        this.behaviour = behaviour;
        this.stall = stall;
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(socket.getOutputStream());
    }

    void serve() throws IOException, InterruptedException {
        in.skipNBytes(PREFACE);
        frame(SETTINGS, 0, 0, new byte[0]);
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int id = in.readInt();
            byte[] content = in.readNBytes(length);
            if (type == SETTINGS && flags != ACK) {
                frame(SETTINGS, ACK, 0, new byte[0]);
            } else if (type == PING && flags != ACK) {
                frame(PING, ACK, 0, content);
            } else if (type == DATA) {
                received(id, flags, length);
            }
        }
    }

    private void received(int id, int flags, int length) throws IOException, InterruptedException {
        if (length > 0) {
            byte[] room = {(byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length};
            frame(WINDOW_UPDATE, 0, 0, room);
            frame(WINDOW_UPDATE, 0, id, room);
        }
        if ((flags & END_STREAM) != 0) {
            stream = id;
            behaviour.answer(this);
        }
    }

    private void frame(int type, int flags, int id, byte[] content) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(frame);
        data.writeByte(content.length >> 16);
        data.writeShort(content.length);
        data.writeByte(type);
        data.writeByte(flags);
        data.writeInt(id);
        data.write(content);
        out.write(frame.toByteArray());
    }

    /** Headers as literals without an index: no compression to speak of. */
    private static byte[] block(Map<String, String> headers) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        headers.forEach((name, value) -> {
            block.write(0);
            block.write(name.length());
            block.writeBytes(name.getBytes(ISO_8859_1));
            block.write(value.length());
            block.writeBytes(value.getBytes(ISO_8859_1));
        });
        return block.toByteArray();
    }

    private static byte[] block(int status, Map<String, String> headers) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(block(Map.of(":status", String.valueOf(status))));
        block.writeBytes(block(headers));
        return block.toByteArray();
    }

    @Override
    public String contentType() {
        return "application/grpc";
    }

    @Override
    public void head(int status, Map<String, String> headers) throws IOException {
        frame(HEADERS, END_HEADERS, stream, block(status, headers));
    }

    @Override
    public void body(byte[] bytes) throws IOException {
        frame(DATA, 0, stream, bytes);
    }

    @Override
    public void end() throws IOException {
        frame(DATA, END_STREAM, stream, new byte[0]);
    }

    @Override
    public void answer(byte[] message) throws IOException {
        head(200, Map.of("content-type", contentType()));
        byte[] framed = new byte[GRPC_PREFIX + message.length];
        framed[GRPC_PREFIX - 1] = (byte) message.length;
        System.arraycopy(message, 0, framed, GRPC_PREFIX, message.length);
        body(framed);
        frame(HEADERS, END_HEADERS | END_STREAM, stream, block(Map.of("grpc-status", "0")));
    }

    @Override
    public void halfAHead() throws IOException {
        byte[] whole = block(200, Map.of("content-type", contentType()));
        frame(HEADERS, 0, stream, Arrays.copyOf(whole, whole.length / 2));
    }

    @Override
    public void stall() throws IOException, InterruptedException {
        stall.await();
        socket.close();
    }

    @Override
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
