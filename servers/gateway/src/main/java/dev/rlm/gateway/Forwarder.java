package dev.rlm.gateway;

import dev.rlm.cli.Commits;
import dev.rlm.json.Json;
import dev.rlm.json.chat.ChatApi;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.PathSegment;
import dev.rlm.server.http.RefusedException;
import dev.rlm.server.rollout.CallPath;
import dev.rlm.server.rollout.LiveRollout;
import dev.rlm.server.rollout.RolloutIds;
import dev.rlm.server.rollout.Rollouts;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Headers;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.RequestBody;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Passes requests on to the upstream and its replies back, byte for byte, and records those that are calls of a model. Each is
 * synced to the journal before the client has its reply whole. Safe for use by several threads.
 */
final class Forwarder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
    private static final int PIECE = 1 << 14;
    private static final Duration BODY_TIME = Duration.ofMinutes(10);
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "expect");

    private final Settings settings;
    private final Access access;
    private final Rollouts rollouts;
    private final Naming naming;
    private final Commits commits;
    private final MemoryBudget memory = new MemoryBudget(Runtime.getRuntime().maxMemory() / 3);
    private final Semaphore places;
    private final OkHttpClient client;
    private final CallsUnderWay underWay = new CallsUnderWay();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong unsynced = new AtomicLong();
    private final AtomicLong warned = new AtomicLong(System.nanoTime() - WARN_NANOS);

    /**
     * Settings for the forwarding of calls.
     *
     * @param key of the upstream, in the place of the client's; {@code null} to pass that on
     * @param maxBody of a request in bytes
     * @param tokenIds whether tokens and their probabilities are asked for
     */
    record Settings(
            Upstreams upstreams, @Nullable String key, int maxCalls, int maxBody, Duration timeout, boolean tokenIds) {}

    /** Rule that tells which rollout a call belongs to. Safe for use by several threads. */
    interface Naming {
        /** Takes the ids that the call gives. */
        Naming GIVEN = (ids, chat) -> ids;

        /** Returns the ids of a call that gives those, and whose request is that as one for chat completions. */
        RolloutIds of(RolloutIds given, ObjectNode chat);
    }

    Forwarder(Settings settings, Access access, Rollouts rollouts, Naming naming, Commits commits) {
        this.settings = settings;
        this.access = access;
        this.rollouts = rollouts;
        this.naming = naming;
        this.commits = commits;
        this.places = new Semaphore(settings.maxCalls());
        this.client = new OkHttpClient.Builder()
                .protocols(List.of(Protocol.HTTP_1_1))
                .followRedirects(false)
                .followSslRedirects(false)
                .retryOnConnectionFailure(false)
                .connectTimeout(Duration.ofSeconds(10))
                .readTimeout(settings.timeout())
                .writeTimeout(settings.timeout())
                // A kept connection that the upstream has just closed fails a call, and nothing is sent twice.
                .connectionPool(new ConnectionPool(0, 1, TimeUnit.SECONDS))
                .build();
    }

    /** Ends the calls that are under way, so that each is recorded. */
    void stop() throws InterruptedException {
        underWay.close();
    }

    /** Returns how many calls were recorded. */
    long calls() {
        return calls.get();
    }

    /** Returns how many of them went on without being known to be synced. */
    long unsynced() {
        return unsynced.get();
    }

    MemoryBudget memory() {
        return memory;
    }

    /** Forwards a request; whether the reply came whole, or the connection to the client is to be broken off. */
    boolean forward(Request request, CallPath path, Response response) throws IOException {
        if (!places.tryAcquire()) {
            throw JsonServer.busy();
        }
        try (MemoryBudget.Share share = memory.share()) {
            return forward(request, path, response, share);
        } finally {
            places.release();
        }
    }

    private boolean forward(Request request, CallPath path, Response response, MemoryBudget.Share share)
            throws IOException {
        byte[] body = JsonServer.body(request, settings.maxBody(), share, BODY_TIME);
        ChatApi api = api(request.getMethod(), path.rest());
        boolean coded = true; // as the client has coded it
        long before = share.size();
        ObjectNode tree = api == null ? null : tree(request, body, share);
        String model = tree == null ? "" : tree.path("model").stringValue("");
        Upstreams.Upstream target = settings.upstreams().target(path.baseUrl(), model);
        if (api == ChatApi.COMPLETIONS && tree != null && settings.tokenIds() && addTokenIds(tree)) {
            body = Json.bytes(tree);
            coded = false;
        }
        okhttp3.Request forwarded = request(request, path, target, body, coded, api);
        if (api == null) {
            return passOn(client.newCall(forwarded), request, response, null);
        }
        long losses = commits.losses();
        ExchangeKeys keys = ExchangeKeys.of(forwarded);
        if (path.ids().values().values().stream().anyMatch(keys::isIn)) {
            throw new RefusedException(400, "an id holds a key of this request: ids are recorded");
        }
        RecordedCall call = start(api, tree, keys.without(model), path, target, request, keys);
        share.shrinkTo(before);
        calls.incrementAndGet();
        try {
            return passOn(client.newCall(forwarded), request, response, new Recorded(api, call, keys, share, losses));
        } catch (RuntimeException | Error e) {
            call.end(null, "the gateway failed: " + e.getClass().getSimpleName());
            throw e;
        }
    }

    /** The API that is asked for, however its path is written; {@code null} where the request is none that is recorded. */
    private static @Nullable ChatApi api(String method, String rest) throws RefusedException {
        return method.equals("POST") ? ChatApi.ALL.get(PathSegment.decoded(rest).replaceFirst("/$", "")) : null;
    }

    private RecordedCall start(
            ChatApi api,
            @Nullable ObjectNode tree,
            String model,
            CallPath path,
            Upstreams.Upstream target,
            Request request,
            ExchangeKeys keys) {
        ObjectNode chat = tree == null
                ? ChatApi.object().put("rlm.not_recorded", "the request is no JSON object, or too large to be recorded")
                : keys.takeOut(api.request(tree));
        Map<String, String> parent = new LinkedHashMap<>();
        for (String name : List.of("traceparent", "tracestate", "baggage")) {
            String value = request.getHeaders().get(name);
            if (value != null) {
                parent.put(name, value);
            }
        }
        RolloutIds ids = naming.of(path.ids(), chat);
        LiveRollout rollout;
        do { // until it is one that does not end in between
            rollout = rollouts.open(ids, model, RecordedCall.task(chat), parent);
        } while (!rollout.callStarted());
        try {
            return RecordedCall.start(
                    rollout,
                    api.provider(),
                    model,
                    target.base().host(),
                    target.base().port(),
                    chat);
        } catch (RuntimeException | Error e) {
            rollout.callEnded(false, "");
            throw e;
        }
    }

    /** The request as a tree; {@code null} where it is none, or takes too much memory. */
    private @Nullable ObjectNode tree(Request request, byte[] body, MemoryBudget.Share share) {
        String coding = request.getHeaders().get("content-encoding");
        try {
            return JsonServer.object(Codings.decoded(coding, body, settings.maxBody(), share), share);
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean addTokenIds(ObjectNode request) {
        boolean added = false;
        for (String name : List.of("return_token_ids", "logprobs")) {
            if (!request.has(name)) {
                request.put(name, true);
                added = true;
            }
        }
        return added;
    }

    private okhttp3.Request request(
            Request request,
            CallPath path,
            Upstreams.Upstream target,
            byte[] body,
            boolean coded,
            @Nullable ChatApi api) {
        String query = request.getHttpURI().getQuery();
        okhttp3.Request.Builder made = new okhttp3.Request.Builder().url(target.url(path.rest(), query));
        Headers.Builder headers = new Headers.Builder();
        Set<String> dropped = dropped(request.getHeaders().getValuesList("connection"));
        if (!coded) {
            dropped.add("content-encoding");
        }
        String coding = "identity"; // or the client library would ask for gzip, and decode it
        for (HttpField field : request.getHeaders()) {
            String name = field.getName().toLowerCase(Locale.ROOT);
            String value = field.getValue();
            if (name.equals("accept-encoding")) {
                coding = api == null || value == null ? String.valueOf(value) : readable(value);
            } else if (value != null && !dropped.contains(name) && !name.startsWith("x-rlm-") && !isOurs(name, value)) {
                headers.addUnsafeNonAscii(field.getName(), value);
            }
        }
        headers.set("Accept-Encoding", coding);
        if (settings.key() != null && target.keyed()) {
            headers.removeAll("authorization").removeAll("x-api-key");
            boolean anthropic = api == ChatApi.MESSAGES;
            headers.set(anthropic ? "x-api-key" : "Authorization", (anthropic ? "" : "Bearer ") + settings.key());
        }
        boolean without =
                request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        return made.headers(headers.build())
                .method(request.getMethod(), without ? null : RequestBody.create(body, null))
                .build();
    }

    /** The codings that a record can be read from. */
    private static String readable(String codings) {
        String readable = Stream.of(codings.split(",", -1))
                .map(String::strip)
                .filter(each ->
                        Codings.KNOWN.contains(each.split(";", 2)[0].strip().toLowerCase(Locale.ROOT)))
                .collect(Collectors.joining(", "));
        return readable.isEmpty() ? "identity" : readable;
    }

    private static Set<String> dropped(List<String> connection) {
        Set<String> names = new HashSet<>(HOP_BY_HOP);
        names.add("host");
        names.add("content-length");
        for (String value : connection) {
            Stream.of(value.split(",", -1))
                    .map(each -> each.strip().toLowerCase(Locale.ROOT))
                    .forEach(names::add);
        }
        return names;
    }

    /** Returns whether a header is for the gateway and not for the upstream. */
    private boolean isOurs(String name, String value) {
        return access.isToken(value)
                || access.isToken("Bearer " + value)
                || (name.equals("authorization") && CallPath.isName(value));
    }

    /** A call whose reply is recorded. */
    private record Recorded(ChatApi api, RecordedCall call, ExchangeKeys keys, MemoryBudget.Share share, long losses) {}

    private boolean passOn(Call call, Request request, Response response, @Nullable Recorded recorded)
            throws IOException {
        try (CallsUnderWay.UnderWay watched = underWay.begin(call, request)) {
            return passOn(call, watched, response, recorded);
        }
    }

    private boolean passOn(Call call, CallsUnderWay.UnderWay underWay, Response response, @Nullable Recorded recorded)
            throws IOException {
        okhttp3.Response reply;
        try {
            reply = call.execute();
        } catch (IOException e) {
            String ended = underWay.ended();
            String why = ended == null ? reason(e) : ended;
            end(recorded, null, why);
            throw new RefusedException(e instanceof InterruptedIOException ? 504 : 502, why);
        }
        try (reply) {
            response.setStatus(reply.code());
            Set<String> dropped = dropped(reply.headers("connection"));
            dropped.remove("content-length");
            for (int i = 0; i < reply.headers().size(); i++) {
                if (!dropped.contains(reply.headers().name(i).toLowerCase(Locale.ROOT))) {
                    response.getHeaders()
                            .add(reply.headers().name(i), reply.headers().value(i));
                }
            }
            ReplyRecorder recorder = recorded == null
                    ? null
                    : new ReplyRecorder(
                            recorded.api(),
                            recorded.call(),
                            recorded.keys(),
                            recorded.share(),
                            settings.maxBody(),
                            reply);
            return passOn(call, underWay, reply, response, recorded, recorder);
        }
    }

    private boolean passOn(
            Call call,
            CallsUnderWay.UnderWay underWay,
            okhttp3.Response reply,
            Response response,
            @Nullable Recorded recorded,
            @Nullable ReplyRecorder recorder)
            throws IOException {
        byte[] bytes = new byte[PIECE];
        long left = hasNoBody(reply.code()) ? 0 : reply.body().contentLength(); // negative where its end tells
        boolean synced = left == 0;
        if (synced) {
            end(recorded, recorder, null); // the head is all
        }
        if (left < 0
                && isHttp11(
                        response)) { // so that a client that wants the connection closed sees where a reply broke off
            response.getHeaders().put("Transfer-Encoding", "chunked");
        }
        OutputStream out = Content.Sink.asOutputStream(response);
        InputStream in = reply.body().byteStream();
        boolean sent = write(out, bytes, 0); // the head
        while (sent) {
            int count;
            try {
                count = in.read(bytes);
            } catch (IOException e) {
                if (!synced) {
                    String ended = underWay.ended();
                    end(recorded, recorder, ended == null ? "the reply broke off: " + reason(e) : ended);
                }
                return false;
            }
            if (count < 0) {
                break;
            }
            left -= count;
            if (recorder != null) {
                recorder.add(bytes, count);
                if (!synced && (left == 0 || recorder.hasLast())) {
                    end(recorded, recorder, null);
                    synced = true;
                }
            }
            sent = write(out, bytes, count);
        }
        if (!sent) {
            call.cancel();
        }
        if (!synced) {
            end(recorded, recorder, sent ? null : "the client left before the end of the reply");
        }
        if (sent) {
            out.close(); // with which it is whole where no length was told
        }
        return sent;
    }

    private static boolean isHttp11(Response response) {
        return response.getRequest().getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1;
    }

    private static boolean hasNoBody(int status) {
        return status == 204 || status == 304;
    }

    /** Writes to the client; whether it took it. */
    private static boolean write(OutputStream out, byte[] bytes, int length) {
        try {
            out.write(bytes, 0, length);
            out.flush();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        return e instanceof InterruptedIOException
                ? "the upstream did not answer in time"
                : "the upstream cannot be reached, or broke off: "
                        + (message == null ? e.getClass().getSimpleName() : message);
    }

    /** Records the end of a call, and waits until it is synced; where that takes too long, it is counted and goes on. */
    private void end(@Nullable Recorded recorded, @Nullable ReplyRecorder recorder, @Nullable String error) {
        if (recorded == null) {
            return;
        } else if (recorder == null) {
            recorded.call().end(null, error);
        } else {
            recorder.end(error);
        }
        commits.await(recorded.losses()).ifPresent(problem -> {
            unsynced.incrementAndGet();
            long last = warned.get();
            if (System.nanoTime() - last > WARN_NANOS && warned.compareAndSet(last, System.nanoTime())) {
                LOG.warn("replies go on without being known to be synced: {}", problem);
            }
        });
    }

    @Override
    public void close() {
        client.connectionPool().evictAll();
        client.dispatcher().executorService().shutdown();
    }
}
