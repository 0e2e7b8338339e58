package dev.rlm.runner.replay;

import dev.rlm.sinks.MessageParts;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;

/** Call of a model that is recorded once more, with all that was said in it. Its cost is left out, since no model was asked. */
final class RetoldCall {
    private RetoldCall() {}

    static void record(ModelCalled call, Step step) {
        try (ModelCall again = step.startModelCall(ReplayPolicyProvider.NAME, call.model())) {
            call.parameters().forEach(again::parameter);
            Content instructions = call.systemInstructions();
            if (instructions != null) {
                again.systemInstructions(instructions.text());
            }
            Content tools = call.toolDefinitions();
            if (tools != null) {
                again.toolDefinitions(tools.text());
            }
            call.messages().forEach(message -> show(message, again));
            Message reply = call.reply();
            if (reply != null) {
                reply(reply, again);
            }
            again.response(call.responseId(), call.responseModel()).usage(call.usage());
            if (call.tokens() != null) {
                again.tokens(call.tokens());
            }
            if (call.finishReason() != null) {
                again.finishReason(call.finishReason());
            }
            Content error = call.error();
            if (error != null) {
                again.fail(error.text());
            }
        }
    }

    private static void show(Message message, ModelCall again) {
        String id = message.toolCallId();
        if (!message.parts().isEmpty()) {
            again.messageParts(message.role(), parts -> message.parts().forEach(part -> add(part, parts)));
        } else if (id != null) {
            again.toolMessage(id, message.content().text());
        } else {
            again.message(message.role(), message.content().text());
            message.toolCalls()
                    .forEach(request -> again.shownToolRequest(
                            request.id(), request.tool(), request.arguments().text()));
        }
    }

    private static void reply(Message reply, ModelCall again) {
        if (!reply.parts().isEmpty()) {
            again.replyParts(parts -> reply.parts().forEach(part -> add(part, parts)));
        } else {
            again.reply(reply.content().text());
            reply.toolCalls()
                    .forEach(request -> again.toolRequest(
                            request.id(), request.tool(), request.arguments().text()));
        }
    }

    private static void add(MessagePart part, MessageParts parts) {
        String text = part.text().text();
        String id = part.id() == null ? "" : part.id();
        String uri = part.uri() == null ? "" : part.uri();
        switch (part.type()) {
            case TEXT -> parts.text(text);
            case REASONING -> parts.reasoning(text);
            case TOOL_CALL -> parts.toolCall(id, part.tool() == null ? "" : part.tool(), text);
            case TOOL_RESULT -> parts.toolResult(id, text);
            case IMAGE -> parts.image(uri, part.mediaType(), part.sha256());
            case AUDIO -> parts.audio(uri, part.mediaType(), part.sha256());
            case FILE -> parts.file(uri, part.mediaType(), part.sha256());
        }
    }
}
