package dev.rlm.sinks.rollout;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchingSink;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.delivery.http.AnswerReader;
import dev.rlm.sinks.delivery.http.HttpTransport;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;

/**
 * Sink that tells a trainer the status of each rollout: a log with the status {@code RUNNING} at the run's start, and one with
 * the final status, message and figures at its end; between them a log without a status with each heartbeat. Runs without a rollout
 * id, and events of other kinds, are not sent.
 *
 * <p>A log is posted again until the gateway takes it, or the time to give it up is over. The logs of one rollout are posted in
 * order, and a start or a heartbeat that comes too late is left out, because a trainer takes the newest status.
 */
public final class RolloutStatusSink extends BatchingSink<StatusLog> {
    /** Name of the sink. */
    public static final String NAME = "rollout-status";

    /** Default time after which a log that no gateway takes is given up. */
    public static final Duration GIVE_UP = Duration.ofMinutes(10);

    private static final BatchLimits LIMITS =
            BatchLimits.of(1).linger(Duration.ZERO).inFlight(16).waiting(1_000);
    private static final Duration TIMEOUT = Duration.ofSeconds(10); // of one request
    private static final MediaType JSON = MediaType.get("application/json");
    private static final int MAX_OPEN = 100_000;
    private static final long ENDED = Long.MAX_VALUE;

    private final HttpTransport http = new HttpTransport(TIMEOUT);
    private final RolloutGateways gateways;
    private final List<String> secrets;
    private final boolean live;
    private final @Nullable String rollout;
    private final Map<String, CompletableFuture<?>> last = new ConcurrentHashMap<>(); // request under way, by rollout

    // On the lane alone
    private final Map<String, AtomicLong> open = new LinkedHashMap<>() { // the number of each run's last log
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, AtomicLong> eldest) {
                    return size() > MAX_OPEN;
                }
            };

    /** Makes the sink of a program whose statuses all go to one gateway. */
    public RolloutStatusSink(RolloutGateway gateway) {
        this(gateway, null);
    }

    /** Makes the sink of a program that does one rollout: that of runs which name none. */
    public RolloutStatusSink(RolloutGateway gateway, @Nullable String rollout) {
        this(gateway, rollout, GIVE_UP, true);
    }

    RolloutStatusSink(RolloutGateway gateway, @Nullable String rollout, Duration giveUp, boolean live) {
        this(gateway.target(), (run, code) -> gateway, rollout, giveUp, live, gateway.token());
    }

    /**
     * Makes the sink of a program that has gateways by run.
     *
     * @param live whether the runs go on now; false where they are sent again: then only their ends are told
     */
    public RolloutStatusSink(RolloutGateways gateways, Duration giveUp, boolean live) {
        this("the trainers' gateways", gateways, null, giveUp, live, null);
    }

    private RolloutStatusSink(
            String target,
            RolloutGateways gateways,
            @Nullable String rollout,
            Duration giveUp,
            boolean live,
            @Nullable String token) {
        super(target, LIMITS, RetryPolicy.upTo(giveUp));
        this.gateways = gateways;
        this.live = live;
        this.rollout = rollout;
        this.secrets = token == null ? List.of() : List.of(token);
    }

    @Override
    public Collection<String> secrets() {
        return secrets;
    }

    @Override
    protected @Nullable StatusLog encode(Event event) {
        if (!(event instanceof RunEvent of)) {
            return null;
        }
        String named = of.run().correlation().rollout();
        String told = named == null ? rollout : named;
        if (told == null) {
            return null;
        }
        String id = of.run().runId();
        if (event instanceof RunStarted start) {
            AtomicLong last = new AtomicLong();
            open.put(id, last);
            return live ? StatusLog.of(start, told, () -> last.get() == ENDED) : null;
        } else if (event instanceof Heartbeat beat) {
            AtomicLong last = live ? open.get(id) : null;
            if (last == null) {
                return null;
            }
            last.set(beat.seq());
            return StatusLog.of(beat, told, () -> last.get() > beat.seq());
        } else if (event instanceof RunEnded end) {
            AtomicLong last = open.remove(id);
            if (last != null) {
                last.set(ENDED);
            }
            return StatusLog.of(end, told);
        }
        return null;
    }

    @Override
    protected CompletionStage<Optional<Failure>> send(List<StatusLog> batch) {
        StatusLog log = batch.get(0); // a request tells one status
        CompletableFuture<Void> turn = new CompletableFuture<>();
        CompletableFuture<?> before = last.put(log.rollout(), turn);
        CompletableFuture<Optional<Failure>> sent =
                before == null ? post(log) : before.thenCompose(unused -> post(log));
        return sent.whenComplete((failure, error) -> {
            last.remove(log.rollout(), turn);
            turn.complete(null);
        });
    }

    private CompletableFuture<Optional<Failure>> post(StatusLog log) {
        if (log.obsolete().getAsBoolean()) { // a later one tells more
            return CompletableFuture.completedFuture(Optional.empty());
        } else if (!log.hasStatus()) {
            return postRecorded(log);
        }
        return gateways.recorded(log.run(), log.code())
                .thenCompose(recorded -> postRecorded(log))
                .toCompletableFuture();
    }

    private CompletableFuture<Optional<Failure>> postRecorded(StatusLog log) {
        RolloutGateway gateway = gateways.of(log.run(), log.code());
        CompletableFuture<Optional<Failure>> posted = gateway == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : post(gateway, "/logs", log)
                        .thenCompose(failure -> isUnknown(failure)
                                ? post(gateway, "/v1/logs", log)
                                : CompletableFuture.completedFuture(failure));
        return posted.thenApply(failure -> {
            if (failure.isEmpty() && log.hasStatus()) {
                gateways.taken(log.run(), log.code());
            }
            return failure;
        });
    }

    private static boolean isUnknown(Optional<Failure> failure) {
        return failure.map(Failure::reason).filter("export_http_404"::equals).isPresent();
    }

    private CompletableFuture<Optional<Failure>> post(RolloutGateway gateway, String path, StatusLog log) {
        Request.Builder request =
                new Request.Builder().url(gateway.base() + path).post(RequestBody.create(log.json(), JSON));
        if (gateway.token() != null) {
            request.header("Authorization", "Bearer " + gateway.token());
        }
        return http.send(request.build(), AnswerReader.FAULTS_PASS);
    }

    @Override
    public void close() {
        super.close();
        http.close();
    }
}
