package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.otel.backend.HostileExchange;
import dev.rlm.sinks.otel.backend.HostileServer;
import dev.rlm.sinks.otel.backend.HostileServer.Behaviour;
import java.io.IOException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/** A way in which a back end can be bad, and what is to be said of it. */
enum Trouble {
    REFUSED("connection refused", "export_unreachable", HostileServer.ACCEPT) {
        @Override
        void befall(HostileServer server) throws IOException {
            server.refuse();
        }
    },
    BLACKHOLED("no answer in time", "export_timeout", HostileServer.ACCEPT) {
        @Override
        void befall(HostileServer server) {
            server.beDeaf();
        }
    },
    NEVER_ANSWERS("no answer in time", "export_timeout", HostileExchange::stall),
    STALLS_IN_HEAD("no answer in time", "export_timeout", exchange -> {
        exchange.halfAHead();
        exchange.stall();
    }),
    STALLS_IN_BODY("no answer in time", "export_timeout", exchange -> {
        head(exchange);
        exchange.body(new byte[3]);
        exchange.stall();
    }),
    DRIPS("no answer in time", "export_timeout", exchange -> {
        head(exchange);
        for (int i = 0; i < 10_000; i++) {
            exchange.body(new byte[] {0});
            Thread.sleep(20); // so slow is the server, and no test waits for it
        }
    }),
    RESETS("the connection was cut before there was an answer", "export_reset", HostileExchange::reset),
    OVERLOADED("429: too many requests", "export_http_429", status(429, Map.of("retry-after", "1"))),
    OUT_OF_ORDER("503: out of order", "export_http_503", status(503, Map.of())),
    OUT_OF_ORDER_FOR_LONG("503: out of order", "export_http_503", status(503, Map.of("retry-after", "31536000"))),
    OUT_OF_ORDER_UNTIL("503: out of order", "export_http_503", exchange -> {
        String then = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(1));
        status(503, Map.of("retry-after", then)).answer(exchange);
    }),
    UNAUTHORISED("401: credentials are missing or wrong", "export_http_401", status(401, Map.of())),
    FORBIDDEN("403: not allowed", "export_http_403", status(403, Map.of())),
    NOT_FOUND("404: this is not taken at this address", "export_http_404", status(404, Map.of())),
    TOO_LARGE("413: too large", "export_http_413", status(413, Map.of())),
    REDIRECTS("302: moved to another address", "export_http_302", status(302, Map.of("location", "/login"))),
    FAILS("HTTP status 500", "export_http_500", Behaviour.status(500, "text/html", "<html>sorry</html>", Map.of())),
    WEB_PAGE("it answers with a web page", "export_not_otlp", Behaviour.status(200, "text/html", "<html>", Map.of())),
    JSON_ERROR(
            "not an OTLP endpoint",
            "export_not_otlp",
            Behaviour.status(200, "application/json", "{\"error\":\"nothing here\"}", Map.of())),
    JUNK("not an OTLP endpoint", "export_not_otlp", exchange -> exchange.answer(new byte[] {-1, -1, -1, 7})),
    ENDLESS("it answers with too much", "export_not_otlp", exchange -> {
        head(exchange);
        while (true) {
            exchange.body(new byte[8 << 10]);
        }
    });

    private final String words;
    private final String reason;

    @SuppressWarnings("ImmutableEnumChecker") // all of them are functions
    private final Behaviour behaviour;

    Trouble(String words, String reason, Behaviour behaviour) {
        this.words = words;
        this.reason = reason;
        this.behaviour = behaviour;
    }

    private static Behaviour status(int code, Map<String, String> headers) {
        return Behaviour.status(code, "text/plain", "no", headers);
    }

    /** The head of a good answer, in either protocol. */
    private static void head(HostileExchange exchange) throws IOException {
        exchange.head(200, Map.of("content-type", exchange.contentType()));
    }

    void befall(HostileServer server) throws IOException {
        server.behave(behaviour);
    }

    /** What the status is to say. */
    String words() {
        return words;
    }

    /** What the ledger is to say. */
    String reason() {
        return reason;
    }
}
