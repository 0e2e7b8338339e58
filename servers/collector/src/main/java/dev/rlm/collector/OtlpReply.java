package dev.rlm.collector;

import dev.rlm.collector.otlp.ExportResponse;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.LingeringClose;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Form of a request and of its answer: JSON or protobuf by HTTP, or gRPC. Of one thread. */
abstract class OtlpReply {
    private static final String JSON = "application/json";
    private static final String PROTOBUF = "application/x-protobuf";
    private static final String GRPC = "application/grpc";
    private static final String RETRY_SECONDS = "1";

    private final Response response;
    private final Callback callback;

    private OtlpReply(Response response, Callback callback) {
        this.response = response;
        this.callback = callback;
    }

    /** Returns the form of the answer to a request. */
    static OtlpReply to(Request request, Response response, Callback callback) {
        String type = String.valueOf(request.getHeaders().get(HttpHeader.CONTENT_TYPE))
                .split(";", 2)[0]
                .strip()
                .toLowerCase(Locale.ROOT);
        return type.startsWith(GRPC) ? new Grpc(response, callback) : new Http(response, callback, type);
    }

    abstract boolean isJson();

    /** Reads the request's message. */
    abstract byte[] message(Body body, Request request, MemoryBudget.Share share) throws IOException, RefusedException;

    abstract void answer(ExportResponse answer);

    abstract void refuse(RefusedException refusal);

    /** Returns the status of gRPC that says the same. */
    private static int grpcStatus(RefusedException refusal) {
        return switch (refusal.status()) {
            case 401 -> 16;
            case 403 -> 7;
            case 404, 405, 415 -> 12;
            case 429 -> 8;
            case 503 -> 14;
            default -> 3;
        };
    }

    /** Answers with 200 and these bytes. */
    final void answer(byte[] bytes, String type) {
        response.setStatus(200);
        write(bytes, type, callback);
    }

    private void write(byte[] bytes, String type, Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        response.write(true, ByteBuffer.wrap(bytes), callback);
    }

    private static final class Http extends OtlpReply {
        private final String type;

        Http(Response response, Callback callback, String type) {
            super(response, callback);
            this.type = type;
        }

        @Override
        boolean isJson() {
            return !type.equals(PROTOBUF);
        }

        @Override
        byte[] message(Body body, Request request, MemoryBudget.Share share) throws IOException, RefusedException {
            String coding = request.getHeaders().get(HttpHeader.CONTENT_ENCODING);
            boolean gzip = "gzip".equalsIgnoreCase(coding);
            if (!type.equals(JSON) && !type.equals(PROTOBUF)) {
                throw new RefusedException(415, "the Content-Type must be " + PROTOBUF + " or " + JSON);
            } else if (coding != null && !gzip && !coding.equalsIgnoreCase("identity")) {
                throw new RefusedException(415, "the Content-Encoding must be gzip, or none");
            }
            byte[] sent = body.sent(request, share);
            return gzip ? body.unzipped(sent, share) : sent;
        }

        @Override
        void answer(ExportResponse answer) {
            if (isJson()) {
                answer(answer.json(), JSON);
            } else {
                answer(answer.protobuf(), PROTOBUF);
            }
        }

        @Override
        void refuse(RefusedException refusal) {
            if (refusal.status() == 429 || refusal.status() == 503) {
                super.response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_SECONDS);
            } else if (refusal.status() == 401) {
                super.response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
            }
            Callback callback = LingeringClose.whereUnread(super.response, super.callback);
            String message = String.valueOf(refusal.getMessage());
            if (isJson()) {
                Map<String, Object> status = new LinkedHashMap<>();
                status.put("code", grpcStatus(refusal));
                status.put("message", message);
                status.put("status", "error");
                JsonServer.answer(super.response, refusal.status(), status, callback);
            } else {
                super.response.setStatus(refusal.status());
                super.write(ExportResponse.status(grpcStatus(refusal), message), PROTOBUF, callback);
            }
        }
    }

    /** One call by gRPC: a message with five bytes before it, and the status behind the answer. */
    private static final class Grpc extends OtlpReply {
        private static final int PREFIX = 5;

        Grpc(Response response, Callback callback) {
            super(response, callback);
        }

        @Override
        boolean isJson() {
            return false;
        }

        @Override
        byte[] message(Body body, Request request, MemoryBudget.Share share) throws IOException, RefusedException {
            byte[] sent = body.sent(request, share);
            if (sent.length < PREFIX) {
                throw new RefusedException(400, "there is no message");
            }
            boolean gzip = "gzip".equalsIgnoreCase(request.getHeaders().get("grpc-encoding"));
            if (sent[0] != 0 && !gzip) {
                throw new RefusedException(415, "messages must be compressed with gzip, or not at all");
            } else if (ByteBuffer.wrap(sent, 1, Integer.BYTES).getInt() != sent.length - PREFIX) {
                throw new RefusedException(400, "there must be one message, and all of it");
            }
            byte[] message = Arrays.copyOfRange(sent, PREFIX, sent.length);
            return sent[0] == 0 ? message : body.unzipped(message, share);
        }

        @Override
        void answer(ExportResponse answer) {
            byte[] message = answer.protobuf();
            byte[] framed = ByteBuffer.allocate(PREFIX + message.length)
                    .put((byte) 0)
                    .putInt(message.length)
                    .put(message)
                    .array();
            super.response.setTrailersSupplier(() -> HttpFields.build().put("grpc-status", "0"));
            super.response.setStatus(200);
            super.response.getHeaders().put(HttpHeader.CONTENT_TYPE, GRPC);
            super.response.write(true, ByteBuffer.wrap(framed), super.callback);
        }

        @Override
        void refuse(RefusedException refusal) {
            HttpFields.Mutable headers = super.response.getHeaders();
            headers.put(HttpHeader.CONTENT_TYPE, GRPC);
            headers.put("grpc-status", Integer.toString(grpcStatus(refusal)));
            headers.put("grpc-message", String.valueOf(refusal.getMessage()));
            if (refusal.status() == 429) { // a client sends again only where it is told when
                headers.put("grpc-status-details-bin", ExportResponse.retryDetails(grpcStatus(refusal)));
            }
            super.response.setStatus(200);
            super.response.write(true, ByteBuffer.allocate(0), super.callback);
        }
    }
}
