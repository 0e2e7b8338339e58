package dev.rlm.recipes;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.service.AiServices;

/** A service of LangChain4j, which records itself: {@code tracing-langchain4j} and a sink are on the class path, and nothing here knows of it. */
public final class LangChain4jAgent {
    private LangChain4jAgent() {}

    interface Calculator {
        String answer(String question);
    }

    static final class Arithmetic {
        @Tool
        int add(int a, int b) {
            return a + b;
        }
    }

    public static void main(String[] args) {
        Calculator calculator = AiServices.builder(Calculator.class)
                .chatModel(OpenAiChatModel.builder()
                        .baseUrl(System.getenv("OPENAI_BASE_URL"))
                        .apiKey(System.getenv().getOrDefault("OPENAI_API_KEY", "none"))
                        .modelName(System.getenv().getOrDefault("MODEL", "gpt-4o-mini"))
                        .build())
                .tools(new Arithmetic())
                .build();
        System.out.println(calculator.answer(args.length == 0 ? "What is 1 + 2?" : args[0]));
    }
}
