package dev.rlm.sinks.otel.otlp;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.Failure.Remedy;
import dev.rlm.sinks.delivery.NetworkFailure;
import dev.rlm.sinks.delivery.http.AnswerReader;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * One of OTLP's two protocols, as spoken with one server: how a message becomes a request, and what an answer means. Guesses where
 * the server has never spoken it. Safe for use by several threads.
 */
abstract class Dialect implements AnswerReader {
    /** How long an answer is read: OTLP's own are of a few bytes. */
    static final int MAX_ANSWER = 64 << 10;

    private volatile boolean understood; // whether there was ever an answer in the protocol

    /** The request for a message, as the compressor, if any, has left it. */
    abstract Request.Builder request(Buffer message, @Nullable String encoding);

    /** The protocols to offer. */
    abstract List<Protocol> protocols(boolean tls);

    /** What the answer means; {@code null} where everything was taken. */
    abstract @Nullable Failure understand(Response response) throws IOException;

    /** What it means that the network or the server's way to speak failed. */
    abstract Failure misunderstood(IOException error);

    /** What to think of where a server has never done anything but cut the connection. */
    abstract String whoElseCuts();

    @Override
    public final @Nullable Failure read(Response response) {
        try {
            Failure failure = understand(response);
            understood = true;
            return failure;
        } catch (IOException e) {
            return misunderstood(e);
        }
    }

    @Override
    public final Failure failure(IOException error) {
        Failure failure = misunderstood(error);
        boolean guess = !understood && failure.reason().equals(NetworkFailure.RESET);
        return guess ? failure.detail(failure.detail() + whoElseCuts()) : failure;
    }

    /** What answers is something else. */
    static Failure notOtlp(String instead) {
        return Failure.of("export_not_otlp", "not an OTLP endpoint: it answers with " + instead, Remedy.NONE);
    }

    /** What the error means on the way to the server, or there. */
    static Failure network(IOException error) {
        return error instanceof ProtocolException
                ? notOtlp("what is no HTTP")
                : NetworkFailure.of(error, "OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE");
    }
}
