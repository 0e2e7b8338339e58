package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.SinkConfig;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.common.InstrumentationScopeInfoBuilder;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Versions of the GenAI conventions whose names are sent, one or several at once. {@link GenAi} has the names of 1.41; the table here
 * has those that another version calls otherwise. A name that a version lacks is sent as the first version that has it calls it, so that
 * nothing is lost by the choice.
 */
public final class GenAiVersions {
    /** Version 1.41 alone. */
    public static final GenAiVersions DEFAULT = new GenAiVersions(EnumSet.of(Version.V1_41));

    private static final String SETTING = "SEMCONV";
    private static final String OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN";

    /** Values of the variable that OpenTelemetry defines, which others share: those that are not for GenAI are passed over. */
    private static final Map<String, Set<Version>> OPTED_IN = Map.of(
            "gen_ai_latest_experimental", EnumSet.of(Version.LATEST),
            "gen_ai_latest_experimental/dup", EnumSet.of(Version.V1_41, Version.LATEST),
            "gen_ai/dup", EnumSet.of(Version.V1_41, Version.LATEST));

    private static final Map<Version, Map<String, String>> RENAMED = Map.of(
            Version.V1_36,
            Map.of(GenAi.PROVIDER.getKey(), "gen_ai.system"),
            Version.V1_41,
            Map.of(),
            Version.LATEST,
            Map.of(
                    GenAi.CACHE_CREATION_TOKENS.getKey(),
                    "gen_ai.usage.cache_write.input_tokens",
                    GenAi.OPERATION_DURATION,
                    "gen_ai.client.inference.duration",
                    GenAi.FIRST_CHUNK_DURATION,
                    "gen_ai.client.inference.time_to_first_chunk"));

    private final Set<Version> chosen;

    private GenAiVersions(Collection<Version> chosen) {
        this.chosen = EnumSet.copyOf(chosen);
    }

    /**
     * Returns those that {@code SEMCONV} of the sink names, else those of {@code OTEL_SEMCONV_STABILITY_OPT_IN}, else 1.41.
     *
     * @throws dev.rlm.sinks.SinkConfigException if one of the first is no version
     */
    public static GenAiVersions of(SinkConfig config) {
        return new GenAiVersions(config.string(SETTING)
                .map(value -> words(value)
                        .map(word -> Version.of(word, config))
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Version.class))))
                .orElseGet(() -> optedIn(config.shared().string(OPT_IN, ""))));
    }

    private static EnumSet<Version> optedIn(String value) {
        EnumSet<Version> all = EnumSet.noneOf(Version.class);
        words(value).forEach(word -> all.addAll(OPTED_IN.getOrDefault(word, Set.of())));
        return all.isEmpty() ? EnumSet.of(Version.V1_41) : all;
    }

    private static Stream<String> words(String value) {
        return Arrays.stream(value.split(",", -1)).map(word -> word.strip().toLowerCase(Locale.ROOT));
    }

    /** Returns what the chosen versions call that which 1.41 calls so, each name once. */
    public List<String> names(String name) {
        return chosen.stream()
                .map(version -> RENAMED.getOrDefault(version, Map.of()).getOrDefault(name, name))
                .distinct()
                .toList();
    }

    /** Returns whether the latest version is among the chosen ones. */
    public boolean hasLatest() {
        return chosen.contains(Version.LATEST);
    }

    /** Returns whether a version before the latest one is among them. */
    public boolean hasEarlier() {
        return chosen.size() > (hasLatest() ? 1 : 0);
    }

    /** Returns the schema URL of the newest chosen version; {@code null} if that version has no published schema. */
    public @Nullable String schemaUrl() {
        return chosen.stream()
                .reduce((first, second) -> second)
                .map(version -> version.schemaUrl)
                .orElse(null);
    }

    /** Returns the instrumentation scope of the sink's own spans. */
    public InstrumentationScopeInfo scope() {
        InstrumentationScopeInfoBuilder scope = InstrumentationScopeInfo.builder(Names.SCOPE);
        String url = schemaUrl();
        return (url == null ? scope : scope.setSchemaUrl(url)).build();
    }

    /** A version, the oldest first. */
    private enum Version {
        V1_36("1.36", "https://opentelemetry.io/schemas/1.36.0"),
        V1_41("1.41", GenAi.SCHEMA_URL),
        LATEST("latest", null);

        private final String label;
        private final @Nullable String schemaUrl;

        Version(String label, @Nullable String schemaUrl) {
            this.label = label;
            this.schemaUrl = schemaUrl;
        }

        static Version of(String label, SinkConfig config) {
            return Stream.of(values())
                    .filter(version -> version.label.equals(label))
                    .findFirst()
                    .orElseThrow(() -> config.invalid(
                            SETTING,
                            Stream.of(values())
                                            .map(version -> version.label)
                                            .collect(Collectors.joining(", ", "one of ", ""))
                                    + ", or several with commas between them"));
        }
    }
}
