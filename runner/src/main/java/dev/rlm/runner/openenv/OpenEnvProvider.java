package dev.rlm.runner.openenv;

import dev.rlm.cli.Durations;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PluginSettings;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.Samples;
import dev.rlm.episodes.SetupException;
import dev.rlm.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes environments of an OpenEnv server, a session each, by the protocol of its version 0.10. A server that has no room for one more session is
 * asked again until it has.
 */
public final class OpenEnvProvider implements EnvironmentProvider {
    private static final String NAME = "openenv";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration CAPACITY_WAIT = Duration.ofMinutes(10);
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final HttpClient client = HttpClient.newHttpClient();
    private @Nullable URI socket;
    private @Nullable ActionSchema schema;
    private String title = NAME;
    private Duration timeout = TIMEOUT;
    private Duration capacityWait = CAPACITY_WAIT;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void open(Map<String, String> settings) throws SetupException {
        PluginSettings.check(NAME, settings, "url", "timeout", "capacity-wait");
        timeout = duration(settings, "timeout", TIMEOUT);
        capacityWait = duration(settings, "capacity-wait", CAPACITY_WAIT);
        URI url = url(settings.get("url"));
        socket = URI.create(url.toString().replaceFirst("^http", "ws") + "/ws");
        JsonNode described = get(url, "/schema");
        if (!described.path("action").isObject()) {
            throw new SetupException(
                    "--set openenv.url=" + url + ": its /schema tells of no action; is it a server of OpenEnv?");
        }
        schema = ActionSchema.of(described);
        title = get(url, "/metadata").path("name").asString(NAME);
    }

    private static Duration duration(Map<String, String> settings, String key, Duration usual) {
        try {
            return settings.containsKey(key) ? new Durations().convert(settings.get(key)) : usual;
        } catch (RuntimeException e) {
            throw new SetupException("--set openenv." + key + ": " + e.getMessage());
        }
    }

    private static URI url(@Nullable String text) {
        String url =
                text == null ? "" : text.strip().replaceFirst("^ws", "http").replaceFirst("/(ws)?$", "");
        if (!url.matches("https?://[^/\\s?#]+(/[^\\s?#]*)?")) {
            throw new SetupException(
                    "--env openenv wants --set openenv.url=URL of a server, such as http://127.0.0.1:8000"
                            + (text == null ? "" : ", was " + text));
        }
        return URI.create(url);
    }

    private JsonNode get(URI url, String path) {
        try {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create(url + path))
                            .timeout(timeout)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new SetupException("--set openenv.url=" + url + ": " + path + " answers " + answer.statusCode());
            }
            return Json.REPLY.object(answer.body());
        } catch (IOException e) {
            throw new SetupException("--set openenv.url=" + url + " cannot be reached: " + e);
        } catch (JacksonException e) {
            throw new SetupException("--set openenv.url=" + url + ": " + path + " answers with " + Json.reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SetupException("--env openenv: interrupted");
        }
    }

    /** Returns resets: a line each of a file, or by seeds that follow from the job's. */
    @Override
    public Samples samples(SampleRequest request) throws SetupException {
        if (request.dataset() != null) {
            return read(request.dataset(), request.skipBadLines());
        }
        List<ResetSample> seeds = IntStream.rangeClosed(1, request.count())
                .mapToObj(row -> {
                    long seed = request.seed() + row - 1;
                    return new ResetSample(title + "-" + seed, row, "", Map.of("seed", seed));
                })
                .toList();
        return new Samples(seeds, List.of());
    }

    private Samples read(Path file, boolean skipBadLines) {
        List<ResetSample> samples = new ArrayList<>();
        List<String> bad = new ArrayList<>();
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new SetupException("the data set " + file + " cannot be read: " + e);
        }
        for (int row = 1; row <= lines.size(); row++) {
            String line = lines.get(row - 1);
            try {
                if (!line.isBlank()) {
                    samples.add(sample(row, Json.FILE.object(line)));
                }
            } catch (JacksonException e) {
                String message = file + ", line " + row
                        + ": expected a JSON object with the arguments of a reset, found: " + Json.reason(e);
                if (!skipBadLines) {
                    throw new SetupException(message);
                }
                bad.add(message);
            }
        }
        if (samples.isEmpty()) {
            throw new SetupException(
                    file + " has no good line: expected JSON objects with the arguments of a reset, one a line");
        }
        return new Samples(samples, bad);
    }

    /** Of a line, {@code sample_id} and {@code task} are ours. */
    private ResetSample sample(int row, ObjectNode line) {
        String id = line.path("sample_id").asString(title + "-" + row);
        String task = line.path("task").asString("");
        Map<String, Object> arguments = new LinkedHashMap<>();
        line.properties().forEach(field -> arguments.put(field.getKey(), field.getValue()));
        arguments.keySet().removeAll(Set.of("sample_id", "task"));
        return new ResetSample(id, row, task, arguments);
    }

    /** Waits for a session where the server has as many as it may have. */
    @Override
    public Environment create(Sample sample) throws IOException, InterruptedException {
        URI url = Objects.requireNonNull(socket, "not opened");
        long end = System.nanoTime() + capacityWait.toNanos();
        for (long pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
            OpenEnvSession session = OpenEnvSession.open(client, url, timeout);
            boolean usable = false;
            try {
                greet(session);
                Environment made =
                        new OpenEnvEnvironment(session, (ResetSample) sample, Objects.requireNonNull(schema));
                usable = true;
                return made;
            } catch (OpenEnvSession.NoCapacityException e) {
                if (System.nanoTime() > end) {
                    throw new IOException(
                            "the environment's server had no room within " + capacityWait.toSeconds() + " s: "
                                    + e.getMessage(),
                            e);
                }
                Thread.sleep(pause);
            } finally {
                if (!usable) {
                    session.close();
                }
            }
        }
    }

    /** A server without room says so to whatever comes first. */
    private static void greet(OpenEnvSession session) throws IOException, InterruptedException {
        try {
            session.exchange(Map.of("type", "state"));
        } catch (OpenEnvSession.RefusedException e) {
            // it has no state yet
        }
    }

    @Override
    public Map<String, Object> params() {
        return new TreeMap<>(Map.of("openenv", title));
    }
}
