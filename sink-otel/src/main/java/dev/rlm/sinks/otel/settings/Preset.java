package dev.rlm.sinks.otel.settings;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.otel.mapping.MlflowColumns;
import dev.rlm.sinks.otel.mapping.Names;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Vendors whose own variables say where to send by OTLP over HTTP, and with which headers: a constant for each, as data. */
public enum Preset {
    LANGFUSE(
            () -> SpanDialect.LANGFUSE,
            ScoreApi.LANGFUSE,
            to -> to.needs("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
                    .address("https://cloud.langfuse.com", "LANGFUSE_BASE_URL", "LANGFUSE_HOST")
                    .path("/api/public/otel")
                    .basic("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
                    .header("x-langfuse-ingestion-version", "4")
                    .tracesOnly()),
    LANGSMITH(
            () -> SpanDialect.LANGSMITH,
            null,
            to -> to.needs("LANGSMITH_API_KEY")
                    .address("https://api.smith.langchain.com", "LANGSMITH_ENDPOINT")
                    .path("/otel")
                    .key("x-api-key", "", "LANGSMITH_API_KEY")
                    .named("Langsmith-Project", "LANGSMITH_PROJECT")
                    .tracesOnly()),
    LOGFIRE(
            () -> SpanDialect.NONE,
            null,
            to -> to.needs("LOGFIRE_TOKEN")
                    .address(to.regional("https://logfire-%s.pydantic.dev", "LOGFIRE_TOKEN", "us"), "LOGFIRE_BASE_URL")
                    .key("Authorization", "", "LOGFIRE_TOKEN")),
    PHOENIX(
            () -> SpanDialect.OPENINFERENCE,
            ScoreApi.PHOENIX,
            to -> to.address("http://localhost:6006", "PHOENIX_COLLECTOR_ENDPOINT")
                    .key("Authorization", "Bearer ", "PHOENIX_API_KEY")
                    .resource("openinference.project.name", "PHOENIX_PROJECT_NAME")
                    .page("/redirects/traces/" + Names.TRACE_ID)
                    .tracesOnly()),
    WEAVE(
            () -> SpanDialect.OPENINFERENCE,
            null,
            to -> to.needs("WANDB_API_KEY", "WANDB_ENTITY", "WANDB_PROJECT")
                    .address("https://trace.wandb.ai", "WF_TRACE_SERVER_URL")
                    .path("/otel")
                    .key("wandb-api-key", "", "WANDB_API_KEY")
                    .resource("wandb.entity", "WANDB_ENTITY")
                    .resource("wandb.project", "WANDB_PROJECT")
                    .tracesOnly()),
    HONEYCOMB(
            () -> SpanDialect.NONE,
            null,
            to -> to.needs("HONEYCOMB_API_KEY")
                    .address("https://api.honeycomb.io", "HONEYCOMB_API_ENDPOINT")
                    .key("x-honeycomb-team", "", "HONEYCOMB_API_KEY")
                    .named("x-honeycomb-dataset", "HONEYCOMB_DATASET")),
    GRAFANA_CLOUD(
            () -> SpanDialect.NONE,
            null,
            to -> to.needs("GRAFANA_CLOUD_OTLP_ENDPOINT", "GRAFANA_CLOUD_INSTANCE_ID", "GRAFANA_CLOUD_API_KEY")
                    .address("", "GRAFANA_CLOUD_OTLP_ENDPOINT")
                    .path("/otlp")
                    .basic("GRAFANA_CLOUD_INSTANCE_ID", "GRAFANA_CLOUD_API_KEY")),
    MLFLOW(
            () -> SpanDialect.NONE,
            null,
            to -> to.address("http://localhost:5000", "MLFLOW_TRACKING_URI")
                    .header(MlflowColumns.EXPERIMENT_HEADER, "0") // its experiment “Default”
                    .named(MlflowColumns.EXPERIMENT_HEADER, "MLFLOW_EXPERIMENT_ID")
                    .key("Authorization", "Bearer ", "MLFLOW_TRACKING_TOKEN")
                    .basic(
                            "MLFLOW_TRACKING_USERNAME",
                            "MLFLOW_TRACKING_PASSWORD") // before the token, as in its own clients
                    .tracesOnly());

    /** The setting that names one; each sink has its own, as it has its own back end. */
    static final String SETTING = "PRESET";

    private static final List<String> LABELS =
            Arrays.stream(values()).map(Preset::label).toList();

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing, as is the one below
    private final Supplier<SpanDialect> dialect;

    private final @Nullable ScoreApi scores;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Consumer<PresetSettings> vendor;

    /**
     * @param dialect attributes that it reads besides those of the conventions; asked later, as its class needs OpenTelemetry's
     * @param scores how it takes rewards; {@code null} where it takes spans alone
     * @param vendor what its variables say
     */
    Preset(Supplier<SpanDialect> dialect, @Nullable ScoreApi scores, Consumer<PresetSettings> vendor) {
        this.dialect = dialect;
        this.scores = scores;
        this.vendor = vendor;
    }

    /**
     * Returns what the vendor's variables say, where the sink's configuration names one.
     *
     * @throws dev.rlm.sinks.SinkConfigException if there is no such vendor, or one of its variables is missing or not valid
     */
    public static Optional<PresetSettings> of(SinkConfig config) {
        SinkConfig shared = config.shared();
        String variable = config.variable(SETTING);
        String label = shared.choice(variable, "", LABELS);
        return Arrays.stream(values())
                .filter(each -> each.label().equals(label))
                .findFirst()
                .map(preset -> preset.settings(shared, variable));
    }

    private PresetSettings settings(SinkConfig shared, String variable) {
        PresetSettings settings = new PresetSettings(this, shared, variable);
        vendor.accept(settings);
        return settings;
    }

    /** The name by which people choose it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public SpanDialect dialect() {
        return dialect.get();
    }

    public @Nullable ScoreApi scores() {
        return scores;
    }

    /** All of them, for people. */
    public static String all() {
        return String.join(", ", LABELS);
    }
}
