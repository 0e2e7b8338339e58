package dev.rlm.recorder;

import java.io.IOException;
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
    private final Session session;

    Ingest(Token token, Session session) {
        this.token = token;
        this.session = session;
    }

    /** Returns the answer to a request that has no lines to record; {@code null} for one that has, and may. */
    @Nullable
    Response answer(RequestHead head) {
        if (!isLocal(head.header("host"))) {
            return Response.error(403, "the Host header must be 127.0.0.1 or localhost");
        }
        return switch (head.path()) {
            case EVENTS -> head.method().equals("POST") ? refusal(head) : notAllowed("POST");
            case HEALTH -> head.method().equals("GET") ? health() : notAllowed("GET");
            default -> Response.error(404, "there are POST " + EVENTS + " and GET " + HEALTH);
        };
    }

    /** A page in a browser may have got here by a name of its own. */
    private static boolean isLocal(@Nullable String host) {
        return host != null && HOSTS.contains(host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT));
    }

    private static Response notAllowed(String method) {
        return Response.error(405, "only " + method + " is allowed here").with("Allow", method);
    }

    private Response health() {
        return Response.ok("{\"ok\":true,\"synced\":" + session.commits().areDurable() + "}\n");
    }

    private @Nullable Response refusal(RequestHead head) {
        if (!token.isIn(head.header("authorization"))) {
            return Response.error(401, "the header Authorization must be 'Bearer ' and the token")
                    .with("WWW-Authenticate", "Bearer");
        }
        String type = head.header("content-type");
        if (type == null || !TYPES.contains(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))) {
            return Response.error(415, "the Content-Type must be application/x-ndjson or application/json");
        } else if (head.length() > BodySpool.MAX_LENGTH) {
            return Response.error(413, "the body is longer than " + (BodySpool.MAX_LENGTH >> 20) + " MiB");
        }
        return null;
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
        try (BodySpool body = BodySpool.read(new RequestBody(connection, head.length()));
                LineReader lines = new LineReader(body.open(), session.memory())) {
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
            if (!line.isBlank()) {
                group.add(line);
                weight += line.weight();
                empty = false;
            }
            if (group.size() >= MAX_LINES || weight > session.memory().smallLine()) {
                record(group, client, answers);
                weight = 0;
            }
        }
        if (empty) {
            throw new BadRequestException(400, "the body is empty: expected events, one JSON object a line");
        }
        record(group, client, answers);
    }

    private void record(List<RawLine> group, Client client, AnswerStream answers) {
        if (!group.isEmpty()) {
            session.recorder().record(group, client, false).forEach(answers::add);
            group.clear();
        }
    }
}
