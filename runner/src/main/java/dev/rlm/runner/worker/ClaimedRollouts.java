package dev.rlm.runner.worker;

import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.Rollout;
import dev.rlm.runner.episode.RolloutSource;
import dev.rlm.runner.episode.Standing;
import dev.rlm.runner.job.ServedEpisodes;
import dev.rlm.runner.openai.RolloutModel;
import dev.rlm.sinks.event.Correlation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
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
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final List<String> IDS = List.of("data_id", "instance_id"); // as agent-lightning reads them
    private static final List<String> TEXTS = List.of("prompt", "question", "problem", "instruction", "task");

    private final AgentLightning server;
    private final ServedEpisodes episodes;
    private final String model;
    private final @Nullable Duration timeout;
    private final String invocation;
    private final Duration poll;
    private final Queue<JsonNode> queued = new ArrayDeque<>(); // guarded by this, as is the next
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
    }

    @Override
    public @Nullable Rollout next() throws InterruptedException {
        while (ended.getCount() > 0) {
            Rollout next = claimed();
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

    private synchronized @Nullable Rollout claimed() {
        try {
            if (queued.isEmpty()) {
                queued.addAll(server.rollouts(AgentLightning.QUEUING, LISTED));
            }
            while (!queued.isEmpty() && ended.getCount() > 0) {
                Rollout next = claimed(queued.remove());
                if (next != null) {
                    return next;
                }
            }
        } catch (IOException e) {
            if (System.nanoTime() - warned > WARN_NANOS) {
                warned = System.nanoTime();
                LOG.warn("{} cannot be asked for rollouts: {}", server.base(), e.getMessage());
            }
        }
        return null;
    }

    /** Returns what the job runs; {@code null} where it is not for this process, or cannot be run, which the server is told. */
    private @Nullable Rollout claimed(JsonNode queuing) throws IOException {
        String id = queuing.path("rollout_id").stringValue("");
        Episode episode;
        try {
            episode = episode(id, queuing);
        } catch (SetupException e) {
            LOG.warn("rollout {} cannot be run: {}", id, e.getMessage());
            fail(id, "it cannot be run: " + e.getMessage());
            return null;
        }
        try {
            if (!server.claim(id)) {
                return null;
            }
        } catch (IOException e) {
            queued.add(queuing); // it may be claimed now
            throw e;
        }
        Rollout rollout = new Rollout(Standing.NEW, (number, failures) -> episode, timeout(queuing));
        var unused = rollout.over().thenAccept(standing -> {
            if (standing.last() == null) { // the job ended before it began
                fail(id, "the worker was stopped");
            }
        });
        return rollout;
    }

    private void fail(String id, String why) {
        server.tell(RolloutEnd.failed(id, why), server.attempt())
                .join()
                .ifPresent(failure -> LOG.warn("the end of rollout {} was not taken: {}", id, failure.detail()));
    }

    private @Nullable Duration timeout(JsonNode queuing) {
        long seconds = queuing.path("config").path("timeout_seconds").longValue(0);
        Optional<Duration> told = seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty();
        return told.filter(own -> timeout == null || own.compareTo(timeout) < 0).orElse(timeout);
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
            if (input.path(name) instanceof ArrayNode given) {
                return RolloutModel.clean(given);
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
