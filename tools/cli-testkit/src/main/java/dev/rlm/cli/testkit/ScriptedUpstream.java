package dev.rlm.cli.testkit;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A model's server over a plain socket, which answers each request as its script does, and closes the connection. */
public final class ScriptedUpstream implements Closeable {
    /** Answer to a request; the connection ends with it. */
    public interface Script {
        /** Answers a request. */
        void answer(Request request, OutputStream out) throws Exception;
    }

    /** A request as it came. */
    public record Request(String head, String body) {}

    private final ServerSocket listener;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private volatile Script script;

    /** Starts one at a free port. */
    public ScriptedUpstream(Script script) throws IOException {
        this.script = script;
        listener = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::accept, "scripted-upstream");
        thread.setDaemon(true);
        thread.start();
    }

    /** Has it answer so from now on. */
    public void script(Script next) {
        script = next;
    }

    /** Returns its port. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Returns the base URL of its API. */
    public String url() {
        return "http://127.0.0.1:" + port() + "/v1";
    }

    /** Returns the requests so far. */
    public List<Request> requests() {
        return requests;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                Thread thread = new Thread(() -> serve(socket), "scripted-upstream-call");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // a script that fails is a test that fails
    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                int each = in.read();
                if (each < 0) {
                    return;
                }
                head.write(each);
            }
            String text = head.toString(StandardCharsets.ISO_8859_1);
            int length = text.lines()
                    .filter(line -> line.regionMatches(true, 0, "content-length:", 0, 15))
                    .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                    .findFirst()
                    .orElse(0);
            Request request = new Request(text, new String(in.readNBytes(length), StandardCharsets.UTF_8));
            requests.add(request);
            script.answer(request, socket.getOutputStream());
        } catch (IOException e) {
            return; // the gateway has gone
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    /** A reply of that length. */
    public static Script reply(String status, String headers, byte[] body) {
        return (request, out) -> {
            out.write(("HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + body.length + "\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            out.write(body);
            out.flush();
        };
    }

    /** A reply of JSON. */
    public static Script json(String body) {
        return reply("200 OK", "Content-Type: application/json\r\n", body.getBytes(StandardCharsets.UTF_8));
    }

    /** A stream of events in chunks, each sent by itself. */
    public static Script events(List<String> events) {
        return (request, out) -> {
            begin(out);
            for (String event : events) {
                chunk(out, event);
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            out.flush();
        };
    }

    /** Begins a stream in chunks. */
    public static void begin(OutputStream out) throws IOException {
        out.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                .getBytes(StandardCharsets.UTF_8));
    }

    /** Sends one chunk. */
    public static void chunk(OutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.UTF_8));
        out.write(bytes);
        out.write("\r\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
