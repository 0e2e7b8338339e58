package dev.rlm.runner.worker;

import dev.rlm.engine.AttemptHistory;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.runner.episode.RolloutSource;
import dev.rlm.runner.job.ServedEpisodes;
import dev.rlm.runner.openai.RolloutModel;
import dev.rlm.sinks.event.Correlation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Rollouts of agent-lightning's queue. Each is claimed when a thread of the job is free for it; one that another runner has claimed
 * before is passed over. Safe for use by several threads.
 */
final class ClaimedRollouts implements RolloutSource {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimedRollouts.class);
    private static final int LISTED = 50;
    private static final long MAX_SECONDS = Duration.ofDays(365).toSeconds();
    private static final String STOPPED = "the worker was stopped";
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final List<String> IDS = List.of("data_id", "instance_id"); // as agent-lightning reads them
    private static final List<String> TEXTS = List.of("prompt", "question", "problem", "instruction", "task");

    private final AgentLightning server;
    private final ServedEpisodes episodes;
    private final String model;
    private final @Nullable Duration timeout;
    private final String invocation;
    private final Duration poll;
    private final Queue<JsonNode> queued = new ArrayDeque<>(); // guarded by this, as are the next
    private final Set<String> doubtful = new HashSet<>(); // ids whose claim was not answered
    private int listed = LISTED;
    private long looked;
    private long warned = System.nanoTime() - WARN_NANOS;
    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * Makes the source.
     *
     * @param model its name in the record
     * @param timeout how long a rollout may take at the most; {@code null} for as long as the server says
     * @param poll time between two looks into a queue that was empty
     */
    ClaimedRollouts(
            AgentLightning server,
            ServedEpisodes episodes,
            String model,
            @Nullable Duration timeout,
            String invocation,
            Duration poll) {
        this.server = server;
        this.episodes = episodes;
        this.model = model;
        this.timeout = timeout;
        this.invocation = invocation;
        this.poll = poll;
        this.looked = System.nanoTime() - poll.toNanos();
    }

    @Override
    public @Nullable Rollout next() throws InterruptedException {
        while (ended.getCount() > 0) {
            Rollout next = claimNext();
            if (next != null) {
                return next;
            }
            var unused = ended.await(poll.toNanos(), TimeUnit.NANOSECONDS);
        }
        return null;
    }

    /** Claims no more. */
    void end() {
        ended.countDown();
    }

    /** Fails what may have been claimed without an answer, once the job is over. */
    synchronized void failDoubtful() {
        for (String id : doubtful) {
            try {
                if (server.isClaimed(id)) {
                    fail(id, STOPPED);
                }
            } catch (IOException e) {
                LOG.warn("rollout {} may be claimed: {}", id, e.getMessage());
            }
        }
    }

    private synchronized @Nullable Rollout claimNext() {
        try {
            if (queued.isEmpty()) {
                list();
            }
            while (!queued.isEmpty() && ended.getCount() > 0) {
                Rollout next = claim(queued.remove());
                if (next != null) {
                    return next;
                }
            }
        } catch (IOException e) {
            if (ended.getCount() > 0 && System.nanoTime() - warned > WARN_NANOS) {
                warned = System.nanoTime();
                LOG.warn("{} cannot be asked for rollouts: {}", server.base(), e.getMessage());
            }
        }
        return null;
    }

    /** Looks into the queue, once within the time between two looks, however many threads wait. */
    private void list() throws IOException {
        if (System.nanoTime() - looked < poll.toNanos()) {
            return;
        }
        try {
            List<JsonNode> found = server.rollouts(AgentLightning.QUEUING, listed);
            queued.addAll(found);
            looked = found.isEmpty() ? System.nanoTime() : looked;
        } catch (AgentLightning.TooLongException e) {
            listed = Math.max(1, listed / 2);
            throw e;
        }
    }

    /** Returns what the job runs; {@code null} where it is not for this process, or cannot be run, which the server is told. */
    private @Nullable Rollout claim(JsonNode queuing) throws IOException {
        String id = queuing.path("rollout_id").stringValue("");
        Episode episode = null;
        String problem = null;
        try {
            episode = episode(id, queuing);
        } catch (SetupException e) {
            problem = "it cannot be run: " + e.getMessage();
        } catch (RuntimeException e) { // whatever its input holds, the others are to run
            LOG.warn("rollout {} cannot be run", id, e);
            problem = "it cannot be run: " + e.getClass().getSimpleName();
        }
        try {
            boolean claimed = server.claim(id);
            doubtful.remove(id);
            if (!claimed) {
                return null;
            }
        } catch (IOException e) {
            queued.add(queuing); // the next try tells
            doubtful.add(id);
            throw e;
        }
        if (episode == null) {
            fail(id, String.valueOf(problem));
            return null;
        }
        Episode only = episode;
        Rollout rollout = new Rollout(AttemptHistory.NEW, (number, failures) -> only, timeout(queuing));
        var unused = rollout.over().thenAccept(history -> {
            if (history.last() == null) { // the job ended before it began
                fail(id, STOPPED);
            }
        });
        return rollout;
    }

    private void fail(String id, String why) {
        LOG.warn("rollout {} has failed: {}", id, why);
        server.tell(RolloutEnd.failed(id, why), server.attempt(), false)
                .join()
                .ifPresent(failure -> LOG.warn("the end of rollout {} was not taken: {}", id, failure.detail()));
    }

    private @Nullable Duration timeout(JsonNode queuing) {
        long seconds = queuing.path("config").path("timeout_seconds").longValue(0);
        if (seconds <= 0 || (timeout != null && timeout.toSeconds() < seconds)) {
            return timeout;
        }
        return Duration.ofSeconds(Math.min(seconds, MAX_SECONDS));
    }

    private Episode episode(String id, JsonNode queuing) {
        JsonNode input = queuing.path("input");
        boolean train = queuing.path("is_train").booleanValue(true);
        ArrayNode messages = messages(input);
        Sample sample = episodes.sample(row(input), messages, input.path("tools"));
        JsonNode params = JsonNodeFactory.instance.objectNode().put("model", model);
        Map<String, Object> told = new LinkedHashMap<>();
        told.put(WorkerCommand.SERVER, server.base());
        told.put(WorkerCommand.ATTEMPT, server.attempt());
        JsonNode batch = queuing.path("metadata").path("batch_idx");
        if (batch.isInt()) {
            told.put("batch_idx", batch.intValue());
        }
        return episodes.episode(
                sample,
                messages,
                RolloutModel.of(server.model(id, train), server.key(), params),
                Correlation.builder()
                        .rollout(id)
                        .invocation(invocation)
                        .row(row(input).isEmpty() ? String.valueOf(sample.row()) : row(input))
                        .split(train ? "train" : "validation")
                        .attempt(1),
                told);
    }

    private static String row(JsonNode input) {
        return IDS.stream()
                .map(input::path)
                .filter(id -> id.isString() || id.isNumber())
                .map(JsonNode::asString)
                .findFirst()
                .orElse("");
    }

    /** Returns what the input asks: its messages, or one with its text. */
    private static ArrayNode messages(JsonNode input) {
        for (String name : List.of("messages", "prompt")) {
            if (input.path(name).isArray()) {
                return RolloutModel.messages(input.path(name));
            }
        }
        ArrayNode messages = JsonNodeFactory.instance.arrayNode();
        String text = input.isString()
                ? input.stringValue()
                : TEXTS.stream()
                        .map(name -> input.path(name).stringValue(""))
                        .filter(value -> !value.isEmpty())
                        .findFirst()
                        .orElse("");
        if (!text.isEmpty()) {
            messages.addObject().put("role", "user").put("content", text);
        }
        return messages;
    }
}
