package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.ToolCalled;
import io.opentelemetry.api.common.AttributeKey;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The names of OpenTelemetry's semantic conventions for generative AI and for the Model Context Protocol, version
 * {@value #VERSION}, and those that the latest version has added: all that is used of them, in one place.
 *
 * @see GenAiVersions
 */
public final class GenAi {
    static final String VERSION = "1.41.0";
    static final String SCHEMA_URL = "https://opentelemetry.io/schemas/" + VERSION;

    public static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");
    public static final String CHAT = "chat";
    public static final String EXECUTE_TOOL = "execute_tool";
    public static final String INVOKE_AGENT = "invoke_agent";
    public static final String RETRIEVAL = "retrieval";

    public static final AttributeKey<String> AGENT = AttributeKey.stringKey("gen_ai.agent.name");
    static final AttributeKey<String> AGENT_VERSION = AttributeKey.stringKey("gen_ai.agent.version");
    public static final AttributeKey<String> CONVERSATION = AttributeKey.stringKey("gen_ai.conversation.id");
    public static final AttributeKey<String> PROVIDER = AttributeKey.stringKey("gen_ai.provider.name");
    public static final AttributeKey<String> REQUEST_MODEL = AttributeKey.stringKey("gen_ai.request.model");
    static final AttributeKey<String> RESPONSE_ID = AttributeKey.stringKey("gen_ai.response.id");
    static final AttributeKey<String> RESPONSE_MODEL = AttributeKey.stringKey("gen_ai.response.model");
    static final AttributeKey<List<String>> FINISH_REASONS =
            AttributeKey.stringArrayKey("gen_ai.response.finish_reasons");
    static final AttributeKey<Double> TIME_TO_FIRST_CHUNK =
            AttributeKey.doubleKey("gen_ai.response.time_to_first_chunk");
    static final AttributeKey<Long> INPUT_TOKENS = AttributeKey.longKey("gen_ai.usage.input_tokens");
    static final AttributeKey<Long> OUTPUT_TOKENS = AttributeKey.longKey("gen_ai.usage.output_tokens");
    static final AttributeKey<Long> CACHED_TOKENS = AttributeKey.longKey("gen_ai.usage.cache_read.input_tokens");
    static final AttributeKey<Long> CACHE_CREATION_TOKENS =
            AttributeKey.longKey("gen_ai.usage.cache_creation.input_tokens");
    static final AttributeKey<Long> REASONING_TOKENS = AttributeKey.longKey("gen_ai.usage.reasoning.output_tokens");
    static final AttributeKey<String> SYSTEM_INSTRUCTIONS = AttributeKey.stringKey("gen_ai.system_instructions");
    static final AttributeKey<String> TOOL_DEFINITIONS = AttributeKey.stringKey("gen_ai.tool.definitions");
    static final AttributeKey<String> INPUT_MESSAGES = AttributeKey.stringKey("gen_ai.input.messages");
    static final AttributeKey<String> OUTPUT_MESSAGES = AttributeKey.stringKey("gen_ai.output.messages");

    static final String TOP_K_PARAMETER = "top_k";

    /** Attributes of a request's fractional parameters, by the names that chat-completion APIs give them. */
    static final Map<String, AttributeKey<Double>> FRACTIONAL_PARAMETERS = Map.of(
            "temperature",
            AttributeKey.doubleKey("gen_ai.request.temperature"),
            "top_p",
            AttributeKey.doubleKey("gen_ai.request.top_p"),
            TOP_K_PARAMETER,
            AttributeKey.doubleKey("gen_ai.request.top_k"),
            "frequency_penalty",
            AttributeKey.doubleKey("gen_ai.request.frequency_penalty"),
            "presence_penalty",
            AttributeKey.doubleKey("gen_ai.request.presence_penalty"));

    static final Map<String, AttributeKey<Long>> WHOLE_PARAMETERS = Map.of(
            "max_tokens", AttributeKey.longKey("gen_ai.request.max_tokens"),
            "max_completion_tokens", AttributeKey.longKey("gen_ai.request.max_tokens"),
            "seed", AttributeKey.longKey("gen_ai.request.seed"));
    static final AttributeKey<Long> CHOICE_COUNT = AttributeKey.longKey("gen_ai.request.choice.count");

    /** The type of it in the latest version. */
    static final AttributeKey<Long> WHOLE_TOP_K = AttributeKey.longKey("gen_ai.request.top_k");

    static final String REASONING_PARAMETER = "reasoning_effort";
    static final AttributeKey<String> REASONING_LEVEL =
            AttributeKey.stringKey("gen_ai.request.reasoning.level"); // of a later version: 1.41 has no name for it
    static final String STOP_PARAMETER = "stop";
    static final AttributeKey<List<String>> STOP_SEQUENCES =
            AttributeKey.stringArrayKey("gen_ai.request.stop_sequences");
    static final String STREAM_PARAMETER = "stream";
    static final AttributeKey<Boolean> REQUEST_STREAM = AttributeKey.booleanKey("gen_ai.request.stream");

    public static final AttributeKey<String> TOOL = AttributeKey.stringKey("gen_ai.tool.name");
    public static final AttributeKey<String> TOOL_TYPE = AttributeKey.stringKey("gen_ai.tool.type");
    static final Map<String, String> TOOL_TYPES =
            Map.of(ToolCalled.MCP, "extension", ToolCalled.RETRIEVAL, "datastore");
    static final AttributeKey<String> TOOL_CALL_ID = AttributeKey.stringKey("gen_ai.tool.call.id");
    public static final AttributeKey<String> TOOL_ARGUMENTS = AttributeKey.stringKey("gen_ai.tool.call.arguments");
    public static final AttributeKey<String> TOOL_RESULT = AttributeKey.stringKey("gen_ai.tool.call.result");
    static final AttributeKey<String> DATA_SOURCE = AttributeKey.stringKey("gen_ai.data_source.id");
    public static final AttributeKey<String> RETRIEVAL_QUERY = AttributeKey.stringKey("gen_ai.retrieval.query.text");
    public static final AttributeKey<String> RETRIEVAL_DOCUMENTS = AttributeKey.stringKey("gen_ai.retrieval.documents");
    static final AttributeKey<String> MCP_METHOD = AttributeKey.stringKey("mcp.method.name");
    static final String MCP_TOOLS_CALL = "tools/call";

    public static final String EVENT_EVALUATION = "gen_ai.evaluation.result";
    public static final AttributeKey<String> EVALUATION_NAME = AttributeKey.stringKey("gen_ai.evaluation.name");
    public static final AttributeKey<Double> EVALUATION_SCORE = AttributeKey.doubleKey("gen_ai.evaluation.score.value");
    public static final AttributeKey<String> EVALUATION_LABEL = AttributeKey.stringKey("gen_ai.evaluation.score.label");
    public static final AttributeKey<String> EVALUATION_EXPLANATION =
            AttributeKey.stringKey("gen_ai.evaluation.explanation");

    public static final AttributeKey<String> TOKEN_TYPE = AttributeKey.stringKey("gen_ai.token.type");
    public static final String TOKEN_USAGE = "gen_ai.client.token.usage";
    public static final List<Long> TOKEN_BOUNDARIES =
            Stream.iterate(1L, bound -> 4 * bound).limit(14).toList();
    public static final String OPERATION_DURATION = "gen_ai.client.operation.duration";
    public static final List<Double> DURATION_BOUNDARIES =
            List.of(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92);
    public static final String FIRST_CHUNK_DURATION = "gen_ai.client.operation.time_to_first_chunk";

    // Of the latest version, in the place of the token usage
    public static final AttributeKey<String> TOKEN_MODALITY = AttributeKey.stringKey("gen_ai.token.modality");
    public static final String UNKNOWN_MODALITY = "unknown";
    public static final String USED_TOKENS = "gen_ai.client.inference.usage.";
    public static final String TOKENS_OF_OPERATION = "gen_ai.client.inference.operation.";

    // Of the latest version, of what 1.41 has no measurement
    public static final String AGENT_DURATION = "gen_ai.invoke_agent.duration";
    public static final List<Double> AGENT_BOUNDARIES =
            Stream.iterate(0.1, bound -> 2 * bound).limit(13).toList();
    public static final String AGENT_INFERENCE_CALLS = "gen_ai.invoke_agent.inference_calls";
    public static final String AGENT_TOOL_CALLS = "gen_ai.invoke_agent.tool_calls";
    public static final List<Long> CALL_BOUNDARIES =
            Stream.iterate(1L, bound -> 2 * bound).limit(8).toList();
    public static final String TOOL_DURATION = "gen_ai.execute_tool.duration";

    private GenAi() {}
}
