package dev.rlm.sinks.otel.backend;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Locale;
import java.util.Map;

/** A connection of HTTP/1.1, one request after the other. */
final class Http1Connection implements HostileExchange {
    private final Socket socket;
    private final HostileServer.Behaviour behaviour;
    private final Stall stall;
    private final InputStream in;
    private final OutputStream out;
    private String path = "";
    private byte[] sent = new byte[0];

    Http1Connection(Socket socket, HostileServer.Behaviour behaviour, Stall stall) throws IOException {
        this.socket = socket;
        this.behaviour = behaviour;
        this.stall = stall;
        socket.setTcpNoDelay(true); // answers go in small pieces
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    void serve() throws IOException, InterruptedException {
        while (readRequest() && !socket.isClosed()) { // a thread that waits may still read what comes after the end
            behaviour.answer(this);
        }
    }

    private boolean readRequest() throws IOException {
        int length = 0;
        for (String line = line(); line != null; line = line()) {
            if (line.isEmpty()) {
                sent = in.readNBytes(length);
                return true;
            }
            String[] words = line.split(" ", -1);
            if (words.length == 3 && words[2].startsWith("HTTP/")) {
                path = words[1];
            }
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        return false;
    }

    /** The next line; {@code null} at the end. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            line.append((char) c);
        }
        return line.toString().strip();
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public byte[] sent() {
        return sent;
    }

    @Override
    public String contentType() {
        return "application/x-protobuf";
    }

    @Override
    public void head(int status, Map<String, String> headers) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Status\r\nTransfer-Encoding: chunked\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        out.write(head.append("\r\n").toString().getBytes(ISO_8859_1));
    }

    @Override
    public void body(byte[] bytes) throws IOException {
        if (bytes.length > 0) {
            out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(ISO_8859_1));
            out.write(bytes);
            out.write("\r\n".getBytes(ISO_8859_1));
        }
    }

    @Override
    public void end() throws IOException {
        out.write("0\r\n\r\n".getBytes(ISO_8859_1));
    }

    @Override
    public void answer(byte[] message) throws IOException {
        head(200, Map.of("content-type", contentType()));
        body(message);
        end();
    }

    @Override
    public void halfAHead() throws IOException {
        out.write("HTTP/1.1 200 OK\r\nContent-Ty".getBytes(ISO_8859_1));
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
