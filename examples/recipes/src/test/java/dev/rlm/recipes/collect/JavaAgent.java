package dev.rlm.recipes.collect;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.BadRequestException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;

/** An agent on OpenAI's client that knows nothing of telemetry; OpenTelemetry's Java agent does. */
final class JavaAgent {
    private JavaAgent() {}

    public static void main(String[] args) {
        OpenAIClient client = OpenAIOkHttpClient.fromEnv();
        client.chat().completions().create(question("sums"));
        try {
            client.chat().completions().create(question("broken"));
        } catch (BadRequestException e) {
            System.out.println(e.getMessage());
        }
        client.close();
    }

    private static ChatCompletionCreateParams question(String model) {
        return ChatCompletionCreateParams.builder()
                .model(model)
                .temperature(0.5)
                .addUserMessage("1 + 2, 3 + 4?")
                .build();
    }
}
