package dev.rlm.benchmarks.fleet;

import dev.rlm.benchmarks.fleet.EventTemplate.TemplateRequest;
import dev.rlm.sinks.RunSpec;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A runner that sends the requests of a template when they are due, as those of new runs each time, by a connection of its own.
 * It retries as the sink does: after 429, 503 and no answer in 30 seconds, with pauses that double, for two minutes.
 */
final class SimulatedRunner implements Runnable {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final long GIVE_UP_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;
    private static final String LENGTH = "content-length:";
    private static final String RETRY_AFTER = "retry-after:";
    private static final String CHUNKED = "transfer-encoding: chunked";
    private static final String CLOSE = "connection: close";

    private final int port;
    private final EventTemplate template;
    private final long start;
    private final int loops;
    private final FleetCounts counts;
    private @Nullable Socket socket;
    private @Nullable InputStream in;
    private long retryAfterMillis; // of the last answer

    /** Makes one that begins at that {@link System#nanoTime}, and does all runs of the template so many times. */
    SimulatedRunner(int port, EventTemplate template, long start, int loops, FleetCounts counts) {
        this.port = port;
        this.template = template;
        this.start = start;
        this.loops = loops;
        this.counts = counts;
    }

    @Override
    public void run() {
        for (int loop = 0; loop < loops; loop++) {
            List<String> ids = template.runs().stream()
                    .map(run -> RunSpec.builder("fleet").build().runId())
                    .toList();
            boolean[] lost = new boolean[ids.size()];
            for (TemplateRequest request : template.requests()) {
                long due = start + loop * template.nanos() + request.at();
                while (due - System.nanoTime() > 0) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                if (deliver(request.body(ids), due)) {
                    counts.steps.add(request.steps());
                } else {
                    request.places().forEach(place -> lost[place.run()] = true);
                }
            }
            for (int i = 0; i < lost.length; i++) {
                if (!lost[i]) {
                    counts.acknowledged.put(ids.get(i), template.runs().get(i));
                }
            }
        }
        disconnect();
    }

    private boolean deliver(byte[] body, long due) {
        byte[] head = ("POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1:" + port
                        + "\r\nContent-Type: application/x-ndjson\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        long first = System.nanoTime();
        for (int attempt = 0; System.nanoTime() - first < GIVE_UP_NANOS; attempt++) {
            long sent = System.nanoTime();
            retryAfterMillis = 0;
            int status = send(head, body);
            if (status == 200) {
                counts.answered(System.nanoTime() - sent, System.nanoTime() - due);
                return true;
            } else if (status == 0) {
                counts.unanswered.increment();
            } else if (status == 429 || status == 503) {
                counts.refusals.increment();
            } else {
                throw new IllegalStateException("an answer of " + status);
            }
            long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(attempt, 5));
            double jitter = ThreadLocalRandom.current().nextDouble(0.8, 1.2);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.max(retryAfterMillis, (long) (pause * jitter))));
        }
        counts.givenUp.increment();
        return false;
    }

    /** Returns the status of the answer; 0 where there is none. */
    private int send(byte[] head, byte[] body) {
        try {
            if (socket == null) {
                socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                in = new BufferedInputStream(socket.getInputStream());
                counts.connections.increment();
            }
            byte[] all = new byte[head.length + body.length];
            System.arraycopy(head, 0, all, 0, head.length);
            System.arraycopy(body, 0, all, head.length, body.length);
            socket.getOutputStream().write(all);
            counts.bytes.add(all.length);
            counts.requests.increment();
            return answer(in);
        } catch (IOException e) {
            disconnect();
            return 0;
        }
    }

    private int answer(@Nullable InputStream from) throws IOException {
        if (from == null) {
            return 0;
        }
        String[] status = line(from).split(" ", 3);
        if (status.length < 2) {
            throw new IOException("no answer");
        }
        int length = 0;
        boolean close = false;
        boolean chunked = false;
        for (String header = line(from); !header.isEmpty(); header = line(from)) {
            if (header.startsWith(LENGTH)) {
                length = Integer.parseInt(header.substring(LENGTH.length()).strip());
            } else if (header.startsWith(RETRY_AFTER)) {
                retryAfterMillis = TimeUnit.SECONDS.toMillis(
                        Long.parseLong(header.substring(RETRY_AFTER.length()).strip()));
            }
            close |= header.equals(CLOSE);
            chunked |= header.equals(CHUNKED);
        }
        String lines = chunked ? chunks(from) : new String(from.readNBytes(length), StandardCharsets.UTF_8);
        if (close) {
            disconnect();
        }
        return lines.contains("\"ok\":false") ? 503 : Integer.parseInt(status[1]); // which is sent again
    }

    private static String chunks(InputStream from) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int length;
        do {
            length = Integer.parseInt(line(from), 16);
            body.write(from.readNBytes(length));
            from.skipNBytes(2); // the end of a line
        } while (length > 0);
        return body.toString(StandardCharsets.UTF_8);
    }

    private static String line(InputStream from) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = from.read(); next >= 0 && next != '\n'; next = from.read()) {
            line.append((char) next);
        }
        return line.toString().strip().toLowerCase(Locale.ROOT);
    }

    private void disconnect() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // it has gone
        }
        socket = null;
        in = null;
    }
}
