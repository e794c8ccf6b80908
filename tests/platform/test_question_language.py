"""In which language a question is asked: never misled by names, and told where it is sure."""

import pytest

from clew.strategies.question_language import foreign_language

ENGLISH = """
Who is Przemysław Kowalczyk?
Where was Søren Kierkegaard born?
When did Gabriel García Márquez write Cien años de soledad?
Who directed Das Leben der Anderen?
What is La Sagrada Família made of?
Who founded the Institut für Sozialforschung?
Is Ludwig van Beethoven older than Wolfgang Amadeus Mozart?
Which river flows through København?
Who painted Las Meninas?
Did Simone de Beauvoir know Jean-Paul Sartre?
What does Die Zauberflöte tell of?
Name the composer of Le nozze di Figaro.
Who wrote Der Prozess and Das Schloss?
In which city is the Rijksmuseum?
How old was Fyodor Dostoyevsky when he wrote Prestuplenie i nakazanie?
Who is Владимир Набоков?
Where is 東京大学?
What was the capital of the Österreichisch-Ungarische Monarchie?
Was Ada Lovelace taught by Augustus De Morgan?
Are Åland and Öland islands?
Who was the mother of Isabel la Católica?
Which company makes the Volkswagen Käfer?
Whose son was Ivan Groznyj?
Who composed O Fortuna in Carmina Burana?
Has Zlatan Ibrahimović played for Malmö FF?
Does Nuuk lie in Kalaallit Nunaat?
Who succeeded Charles de Gaulle?
Tell me about El laberinto del fauno
La Scala architect
Stavanholm harbour
""".strip().split("\n")

FOREIGN = {
    "Wo wurde Ada Lovelace geboren?": "German",
    "Was ist die Hauptstadt von Dänemark?": "German",
    "Wer gründete das Institut?": "German",
    "Où est née Ada Lovelace ?": "French",
    "Qui a fondé l'observatoire de Marlow ?": "French",
    "¿Dónde nació Ada Lovelace?": "Spanish",
    "¿Quién fundó el observatorio de Marlow?": "Spanish",
    "Dove è nata Ada Lovelace?": "Italian",
    "Onde nasceu a Ada Lovelace?": "Portuguese",
    "Waar werd Ada Lovelace geboren?": "Dutch",
    "Gdzie urodziła się Ada Lovelace?": "Polish",
    "Var föddes Ada Lovelace och när?": "Swedish",
    "李明出生在哪里?": "Chinese",
    "アダ・ラブレスはどこで生まれましたか?": "Japanese",
    "에이다 러브레이스는 어디에서 태어났습니까?": "Korean",
    "Где родилась Ада Лавлейс?": "Russian or another language in Cyrillic script",
    "أين ولدت آدا لوفليس؟": "Arabic or another language in Arabic script",
}


@pytest.mark.parametrize("question", ENGLISH)
def test_an_english_question_is_english_whatever_it_names(question: str) -> None:
    assert foreign_language(question) == ""


@pytest.mark.parametrize("question", FOREIGN)
def test_another_language_is_told(question: str) -> None:
    assert foreign_language(question) == FOREIGN[question]


@pytest.mark.parametrize("question", ["", "?", "1911", "Ada", "de la Warr Pavilion"])
def test_what_is_no_sentence_is_not_judged(question: str) -> None:
    assert foreign_language(question) == ""


def test_there_are_thirty() -> None:
    assert len(set(ENGLISH)) == 30
