package dev.rlm.sinks.delivery.http;

import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.HttpFailure;
import dev.rlm.sinks.delivery.NetworkFailure;
import java.io.IOException;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Tells what the answer to a request means, or that there is none: what HTTP says of it, unless a back end says it better. */
public interface AnswerReader {
    /** Reader of answers whose status says all. */
    AnswerReader STATUS = new AnswerReader() {};

    /** Reader of answers by whose status every fault of the server's (408 and from 500 on) may pass. */
    AnswerReader FAULTS_PASS = new AnswerReader() {
        @Override
        public @Nullable Failure read(Response response) throws IOException {
            Failure failure = STATUS.read(response);
            return failure != null && (response.code() >= 500 || response.code() == 408)
                    ? failure.remedy(Failure.Remedy.RETRY)
                    : failure;
        }
    };

    /** Returns why the request was not taken, or not wholly; {@code null} where it was. */
    default @Nullable Failure read(Response response) throws IOException {
        return response.isSuccessful() ? null : HttpFailure.of(response.code(), response.header("Retry-After"));
    }

    /** Returns the failure of a request that has no answer, or none that can be read. */
    default Failure failure(IOException error) {
        return NetworkFailure.of(error);
    }
}
