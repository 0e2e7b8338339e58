package dev.rlm.sinks.traced;

import dev.rlm.sinks.ModelCall;
import org.jspecify.annotations.Nullable;

/** Records a call of a model, whose replies have that shape. */
final class ChatRecording<R> implements CallRecording<R> {
    private final ChatShape<?, R> shape;
    private final ModelCall call;

    ChatRecording(ChatShape<?, R> shape, ModelCall call) {
        this.shape = shape;
        this.call = call;
    }

    void firstToken() {
        call.firstToken();
    }

    @Override
    public void returned(@Nullable R reply) {
        read(reply);
        call.close();
    }

    @Override
    public void failed(Throwable error) {
        call.fail(Texts.of(error));
        call.close();
    }

    /** It failed after a part of the reply had come. */
    void failed(R part, Throwable error) {
        read(part);
        failed(error);
    }

    private void read(@Nullable R reply) {
        if (reply != null) {
            Guard.run("a model's reply", () -> shape.reply(reply, call));
        }
    }

    /** The same for a client of which nothing is known but its methods: what is no reply is left out. */
    @SuppressWarnings("unchecked") // it is an instance of the reply's type
    CallRecording<Object> ofAny() {
        return new CallRecording<>() {
            @Override
            public void returned(@Nullable Object result) {
                if (shape.replyType().isInstance(result)) {
                    ChatRecording.this.returned((R) result);
                } else {
                    call.close();
                }
            }

            @Override
            public void failed(Throwable error) {
                ChatRecording.this.failed(error);
            }
        };
    }
}
