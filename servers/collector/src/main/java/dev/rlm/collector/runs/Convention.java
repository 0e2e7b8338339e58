package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import java.util.Locale;
import java.util.Set;

/** Kinds of spans of other programs, by the conventions that they keep to. */
enum Convention {
    /** A call of a model. */
    MODEL_CALL,
    /** A call of a tool, or a search for documents. */
    TOOL_CALL,
    /** The result of an evaluation. */
    EVALUATION,
    /** Anything else that agents do, such as an agent's or a chain's own span. */
    AGENT,
    /** A span of another matter. */
    OTHER;

    private static final int SERVER = 2;
    private static final Set<String> MODEL_OPERATIONS =
            Set.of("chat", "text_completion", "generate_content", "completion", "message");

    /** Returns the kind of a span. */
    static Convention of(ReceivedSpan span) {
        Attributes on = span.attributes();
        if ((on.has(AttributeNames.EVALUATION_NAME) && on.has(AttributeNames.EVALUATION_SCORE))
                || on.has(AttributeNames.LIGHTNING_REWARD + "0.value")) {
            return EVALUATION;
        }
        String langSmith = on.text("langsmith.span.kind"); // a prompt's template has the operation of a call, too
        if (langSmith != null && !on.has("ai.operationId")) {
            return byKind(langSmith.toLowerCase(Locale.ROOT));
        }
        String operation = on.text(AttributeNames.OPERATION);
        if (operation != null) {
            return byOperation(operation);
        }
        String vercel = on.text("ai.operationId");
        if (vercel != null) {
            return vercel.equals("ai.toolCall") ? TOOL_CALL : vercel.contains(".do") ? MODEL_CALL : AGENT;
        }
        String kind = on.text("openinference.span.kind", "traceloop.span.kind");
        if (kind != null) {
            return byKind(kind.toLowerCase(Locale.ROOT));
        } else if ("tools/call".equals(on.text("mcp.method.name"))) {
            return span.kind() == SERVER ? AGENT : TOOL_CALL; // the client's span tells the same call
        }
        String type = on.text("span.type"); // of Claude Code
        if (type != null && span.name().startsWith("claude_code.")) {
            return type.equals("llm_request") ? MODEL_CALL : type.equals("tool") ? TOOL_CALL : AGENT;
        }
        boolean model = MODEL_OPERATIONS.contains(String.valueOf(on.text("llm.request.type")))
                || (on.has("gen_ai.request.model") && (on.has("gen_ai.system") || on.has("gen_ai.provider.name")));
        return model ? MODEL_CALL : on.has("gen_ai.tool.name") && on.has("gen_ai.tool.call.id") ? TOOL_CALL : OTHER;
    }

    private static Convention byOperation(String operation) {
        if (operation.equals("create_agent")) {
            return OTHER; // which has done nothing yet
        }
        return MODEL_OPERATIONS.contains(operation)
                ? MODEL_CALL
                : operation.equals("execute_tool") || operation.equals("retrieval") ? TOOL_CALL : AGENT;
    }

    private static Convention byKind(String kind) {
        return switch (kind) {
            case "llm" -> MODEL_CALL;
            case "tool", "retriever" -> TOOL_CALL;
            default -> AGENT;
        };
    }

    static boolean isRetrieval(ReceivedSpan span) {
        Attributes on = span.attributes();
        return "retrieval".equals(on.text(AttributeNames.OPERATION))
                || "RETRIEVER".equalsIgnoreCase(on.text("openinference.span.kind", "langsmith.span.kind"));
    }
}
