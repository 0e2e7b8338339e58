// 2 3: dev.rlm:agent-tracing com.openai:openai-java:${version.openai}
import com.openai.client.OpenAIClient;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import java.util.Map;

class Page {
    OpenAIClient client;

    String add(ChatCompletionMessageFunctionToolCall asked) {
        return "3";
    }

    String divide(ChatCompletionMessageFunctionToolCall asked) {
        return "0.5";
    }
}
