package dev.rlm.runner.openai;

import dev.rlm.episodes.SetupException;
import dev.rlm.server.http.PathSegment;
import dev.rlm.sinks.RunSpec;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Address of chat completions. Holds no secret.
 *
 * @param base what the user gave: its path is the user's own, and stays as it is
 * @param address that of the chat completions
 */
record CompletionsEndpoint(String base, URI address) {
    private static final Map<String, String> PROVIDERS = new LinkedHashMap<>();
    private static final Pattern PLACE = Pattern.compile("\\{(\\w*)\\}");
    private static final Map<String, Function<RunSpec, String>> PLACES = Map.of(
            "run", RunSpec::runId,
            "rollout", run -> orRun(run, run.correlation().rollout()),
            "attempt",
                    run -> String.valueOf(
                            run.correlation().attempt() == null
                                    ? 1
                                    : run.correlation().attempt()),
            "sample", run -> orRun(run, run.correlation().sample()));

    static { // the convention's names; the end of the host decides
        PROVIDERS.put("openai.azure.com", "azure.ai.openai");
        PROVIDERS.put("ai.azure.com", "azure.ai.inference");
        PROVIDERS.put("groq.com", "groq");
        PROVIDERS.put("mistral.ai", "mistral_ai");
        PROVIDERS.put("deepseek.com", "deepseek");
        PROVIDERS.put("x.ai", "x_ai");
        PROVIDERS.put("perplexity.ai", "perplexity");
        PROVIDERS.put("anthropic.com", "anthropic");
        PROVIDERS.put("cohere.ai", "cohere");
        PROVIDERS.put("cohere.com", "cohere");
        PROVIDERS.put("generativelanguage.googleapis.com", "gcp.gemini");
        PROVIDERS.put("aiplatform.googleapis.com", "gcp.vertex_ai");
        PROVIDERS.put("amazonaws.com", "aws.bedrock");
    }

    /**
     * That of a base URL. What is wrong is said without the URL itself, which may hold a key.
     *
     * @param source what gave it: an option or a variable
     */
    static CompletionsEndpoint of(String source, String base) {
        URI address = parse(below(base, "chat/completions"));
        if (address == null) {
            throw new SetupException(source + " is not valid: expected an address such as http://localhost:8000/v1");
        } else if (address.getRawUserInfo() != null) {
            throw new SetupException(source + " holds a user or a key: keys come from the environment alone");
        } else if (address.getRawQuery() != null || address.getRawFragment() != null) {
            throw new SetupException(source + " holds a query: expected an address such as http://localhost:8000/v1");
        }
        return new CompletionsEndpoint(base, address);
    }

    /** That of a base URL in which {@code {run}} and the like may stand for what is known of each run. */
    static CompletionsEndpoint ofTemplate(String source, String base) {
        Matcher place = PLACE.matcher(base);
        while (place.find()) {
            if (!PLACES.containsKey(place.group(1))) {
                throw new SetupException(source + " has {" + place.group(1) + "}: known are {"
                        + String.join("}, {", new TreeSet<>(PLACES.keySet())) + "}");
            }
        }
        return new CompletionsEndpoint(base, of(source, PLACE.matcher(base).replaceAll("-")).address);
    }

    /** Returns whether each run has an address of its own. */
    boolean isOfRuns() {
        return PLACE.matcher(base).find();
    }

    /** Returns that of a run. */
    CompletionsEndpoint of(RunSpec run) {
        String filled = PLACE.matcher(base)
                .replaceAll(place -> Matcher.quoteReplacement(PathSegment.encoded(
                        PLACES.getOrDefault(place.group(1), RunSpec::runId).apply(run))));
        return of("the base URL of a run", filled);
    }

    private static String orRun(RunSpec run, @Nullable String id) {
        return id == null ? run.runId() : id;
    }

    private static String below(String base, String path) {
        return base + (base.endsWith("/") ? "" : "/") + path;
    }

    /** The address of the server's list of models. */
    URI models() {
        return URI.create(below(base, "models"));
    }

    /** The server's name, or its address. */
    String host() {
        return address.getHost();
    }

    /** The server's port. */
    int port() {
        return address.getPort() >= 0 ? address.getPort() : address.getScheme().equalsIgnoreCase("https") ? 443 : 80;
    }

    private static @Nullable URI parse(String text) {
        try {
            URI uri = new URI(text);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            boolean web = scheme.equals("http") || scheme.equals("https");
            return web && uri.getHost() != null && uri.getPort() <= 65_535 ? uri : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /**
     * Returns the provider that the host belongs to, by its name in the GenAI conventions; {@code openai} for an unknown
     * host, since it speaks that protocol.
     */
    String provider() {
        String host = address.getHost().toLowerCase(Locale.ROOT);
        return PROVIDERS.entrySet().stream()
                .filter(known -> host.equals(known.getKey()) || host.endsWith("." + known.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("openai");
    }
}
