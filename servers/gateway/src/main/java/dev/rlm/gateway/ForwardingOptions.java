package dev.rlm.gateway;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.sinks.SinkConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say where calls are forwarded to, and within which bounds. */
final class ForwardingOptions {
    private static final int MIB = 1 << 20;
    private static final int MAX_BODY = 1_024;
    private static final int MAX_CALLS = 4_096;

    @Option(names = "--upstream", paramLabel = "URL", description = "Base URL of the model's server, with its /v1.")
    private @Nullable String upstream;

    @Option(
            names = "--route",
            paramLabel = "MODEL=URL",
            description = "Base URL for calls of that model. May be repeated.")
    private Map<String, String> routes = new LinkedHashMap<>();

    @Option(
            names = "--allow-upstream",
            paramLabel = "PATTERN",
            description =
                    "Where a path may say that the model is (nowhere), such as 'http://127.0.0.1:*'. May be repeated.")
    private List<String> allowed = new ArrayList<>();

    @Option(
            names = "--upstream-key-env",
            paramLabel = "VAR",
            description = "The variable with the key for --upstream and --route (the client's key).")
    private @Nullable String keyVariable;

    @Option(
            names = "--upstream-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "The longest silence of an upstream (10m).")
    private Duration upstreamTimeout = Duration.ofMinutes(10);

    @Option(
            names = "--token-ids",
            description =
                    "Ask for the ids and log probabilities of tokens, as vLLM gives them, where a request does not.")
    private boolean tokenIds;

    @Option(
            names = "--sync-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a reply waits at the most until its call is synced (5s).")
    private Duration syncTimeout = Duration.ofSeconds(5);

    @Option(names = "--max-body", paramLabel = "MIB", description = "The longest request, and recorded reply (32).")
    private int maxBody = 32;

    @Option(names = "--max-calls", paramLabel = "N", description = "Calls at a time; more are told to try again (512).")
    private int maxCalls = 512;

    Set<String> namedVariables() {
        return keyVariable == null ? Set.of() : Set.of(keyVariable);
    }

    Duration syncTimeout() {
        return syncTimeout;
    }

    /** Returns whether they say where calls go whose path does not. */
    boolean nameUpstreams() {
        return upstream != null || !routes.isEmpty();
    }

    /** Returns whether a call can go anywhere. */
    boolean leadAnywhere() {
        return nameUpstreams() || !allowed.isEmpty();
    }

    /**
     * Returns the settings, with more places that a path may name.
     *
     * @throws UsageException if an option is not valid
     */
    Forwarder.Settings settings(SinkConfig config, List<HttpUrl> more) {
        Bounds.checkRange("--max-body", maxBody, 1, MAX_BODY);
        Bounds.checkRange("--max-calls", maxCalls, 1, MAX_CALLS);
        Bounds.checkAboveZero("--sync-timeout", syncTimeout);
        Bounds.checkAboveZero("--upstream-timeout", upstreamTimeout);
        Map<String, HttpUrl> urls = new LinkedHashMap<>();
        routes.forEach((model, url) -> urls.put(model, url("--route=" + model + "=", url)));
        List<Upstreams.Allowed> patterns = new ArrayList<>();
        more.forEach(url -> patterns.add(pattern("", url.toString())));
        allowed.forEach(text -> patterns.add(pattern("--allow-upstream=", text)));
        HttpUrl standard = upstream == null ? null : url("--upstream=", upstream);
        return new Forwarder.Settings(
                new Upstreams(standard, urls, patterns),
                key(config),
                maxCalls,
                maxBody * MIB,
                upstreamTimeout,
                tokenIds);
    }

    static HttpUrl url(String option, String value) {
        HttpUrl url = HttpUrl.parse(value);
        if (url == null || !url.username().isEmpty()) {
            throw new UsageException(
                    option + "… is not valid: expected a URL such as http://127.0.0.1:8000/v1, without a user");
        }
        return url;
    }

    private static Upstreams.Allowed pattern(String option, String text) {
        Upstreams.Allowed read = Upstreams.Allowed.of(text);
        if (read == null) {
            throw new UsageException(option + text
                    + " is not valid: expected a scheme, a host and, if need be, a port, such as http://127.0.0.1:*");
        }
        return read;
    }

    private @Nullable String key(SinkConfig config) {
        if (keyVariable == null) {
            return null;
        }
        return config.shared()
                .string(keyVariable)
                .orElseThrow(
                        () -> new UsageException("--upstream-key-env=" + keyVariable + ": the variable is not set"));
    }
}
