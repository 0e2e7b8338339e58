package dev.rlm.recorder;

import dev.rlm.cli.Token;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests of the recorder: who may send which, and what is done with them. Safe for use by several threads. */
final class Ingest {
    static final String EVENTS = "/v1/events";
    static final String HEALTH = "/v1/health";

    private static final Duration BODY_TIME = Duration.ofSeconds(30);
    private static final int MAX_LINES = 1_024; // of a group, whose answers are held until it is synced
    private static final Set<String> TYPES = Set.of("application/json", "application/x-ndjson");
    private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost");

    private final Token token;
    private final Recorder recorder;

    Ingest(Token token, Recorder recorder) {
        this.token = token;
        this.recorder = recorder;
    }

    /** Returns the answer to a request that has no lines to record; {@code null} for one that has, and may. */
    @Nullable
    Response answer(RequestHead head) throws BadRequestException {
        String host = head.header("host"); // a page in a browser may have got here by a name of its own
        if (host == null || !HOSTS.contains(host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT))) {
            throw new BadRequestException(403, "the Host header must be 127.0.0.1 or localhost");
        }
        String method = switch (head.path()) {
            case EVENTS -> "POST";
            case HEALTH -> "GET";
            default -> throw new BadRequestException(404, "there are POST " + EVENTS + " and GET " + HEALTH);
        };
        if (!head.method().equals(method)) {
            throw new BadRequestException(405, "only " + method + " is allowed here", "Allow: " + method + "\r\n");
        } else if (head.path().equals(HEALTH)) {
            return new Response(200, "", "{\"ok\":true,\"synced\":" + recorder.isDurable() + "}\n");
        }
        checkLines(head);
        return null;
    }

    private void checkLines(RequestHead head) throws BadRequestException {
        if (!token.isIn(head.header("authorization"))) {
            throw new BadRequestException(
                    401, "the header Authorization must be 'Bearer ' and the token", "WWW-Authenticate: Bearer\r\n");
        }
        String type = head.header("content-type");
        if (type == null || !TYPES.contains(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))) {
            throw new BadRequestException(415, "the Content-Type must be application/x-ndjson or application/json");
        } else if (head.length() > BodySpool.MAX_LENGTH) {
            throw BodySpool.tooLong();
        }
    }

    /**
     * Records the lines of a request and answers them; whether the connection can be kept. Only once the whole body has come:
     * most clients read no answer before, and would wait for the server as it waits for them.
     *
     * @throws BadRequestException if nothing was recorded, and nothing was answered yet
     */
    boolean record(RequestHead head, Connection connection) throws IOException {
        connection.expectWithin(BODY_TIME);
        if (head.expectsContinue()) {
            connection.write(Response.goOn());
        }
        try (InputStream body = BodySpool.read(new RequestBody(connection, head.length()));
                LineReader lines = new LineReader(body, recorder.memory())) {
            connection.expectNothing();
            AnswerStream answers = new AnswerStream(connection, head.persistent());
            record(lines, answers);
            return answers.end();
        }
    }

    private void record(LineReader lines, AnswerStream answers) throws IOException {
        Client client = new Client("that this request has started");
        List<RawLine> group = new ArrayList<>();
        long weight = 0;
        boolean empty = true;
        for (RawLine line = lines.next(); line != null; line = lines.next()) {
            group.add(line);
            weight += line.weight();
            empty = false;
            if (group.size() >= MAX_LINES || weight > recorder.memory().smallLine()) {
                recorder.record(group, client, false).forEach(answers::add);
                group.clear();
                weight = 0;
            }
        }
        if (empty) {
            throw new BadRequestException(400, "the body is empty: expected events, one JSON object a line");
        } else if (!group.isEmpty()) {
            recorder.record(group, client, false).forEach(answers::add);
        }
    }
}
