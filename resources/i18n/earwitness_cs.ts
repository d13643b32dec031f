<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="cs_CZ" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>reading the sound</source>
        <translation>čtu zvuk</translation>
    </message>
    <message>
        <source>finding speech</source>
        <translation>hledám řeč</translation>
    </message>
    <message>
        <source>transcribing</source>
        <translation>přepisuji</translation>
    </message>
    <message>
        <source>telling speakers apart</source>
        <translation>rozlišuji mluvčí</translation>
    </message>
    <message>
        <source>joining words and speakers</source>
        <translation>spojuji slova s mluvčími</translation>
    </message>
    <message>
        <source>measuring voices</source>
        <translation>měřím hlasy</translation>
    </message>
    <message>
        <source>listening for other sounds</source>
        <translation>hledám další zvuky</translation>
    </message>
    <message>
        <source>linking what was said</source>
        <translation>propojuji, co zaznělo</translation>
    </message>
    <message>
        <source>summing up</source>
        <translation>shrnuji</translation>
    </message>
    <message>
        <source>Correct</source>
        <translation>Správnost</translation>
    </message>
    <message>
        <source>Borne out by its moments</source>
        <translation>Podloženo doklady</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Srozumitelnost</translation>
    </message>
    <message>
        <source>{what}: {mark} of 5</source>
        <translation>{what}: {mark} z 5</translation>
    </message>
    <message>
        <source>Export the answer with its evidence</source>
        <translation>Exportovat odpověď s doklady</translation>
    </message>
    <message>
        <source>Export the ratings</source>
        <translation>Exportovat hodnocení</translation>
    </message>
    <message>
        <source>Export the ratings…</source>
        <translation>Exportovat hodnocení…</translation>
    </message>
    <message>
        <source>The answer and its sound are in one file.</source>
        <translation>Odpověď i se zvukem je v jednom souboru.</translation>
    </message>
    <message>
        <source>{n} rated answers were exported.</source>
        <translation>Vyexportováno hodnocených odpovědí: {n}.</translation>
    </message>
    <message>
        <source>Export the answer with its quotes and their sound</source>
        <translation>Exportovat odpověď s citáty a jejich zvukem</translation>
    </message>
    <message>
        <source>More for this answer</source>
        <translation>Další možnosti odpovědi</translation>
    </message>
    <message>
        <source>Rate this answer</source>
        <translation>Ohodnotit tuto odpověď</translation>
    </message>
    <message>
        <source>{n} selected meetings</source>
        <translation>Vybrané schůzky: {n}</translation>
    </message>
    <message>
        <source>Folder of the library</source>
        <translation>Složka knihovny</translation>
    </message>
    <message>
        <source>Empty for the usual place. `earwitness library move` moves the meetings as well.</source>
        <translation>Prázdné znamená obvyklé místo. `earwitness library move` přesune i schůzky.</translation>
    </message>
    <message>
        <source>Earlier transcript</source>
        <translation>Dřívější přepis</translation>
    </message>
    <message>
        <source>Earlier transcripts</source>
        <translation>Dřívější přepisy</translation>
    </message>
    <message>
        <source>Go back to this one</source>
        <translation>Vrátit se k tomuto</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Rozdíly</translation>
    </message>
    <message>
        <source>{moment}, {n} utterances</source>
        <translation>{moment}, promluv: {n}</translation>
    </message>
    <message>
        <source>There is only the present transcript. When a meeting is analysed again, the one it replaces is kept here.</source>
        <translation>Existuje jen současný přepis. Když se schůzka zpracuje znovu, nahrazený přepis zůstane tady.</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>Porovnávám…</translation>
    </message>
    <message>
        <source>{n} places differ from the present transcript.</source>
        <translation>Míst, která se liší od současného přepisu: {n}.</translation>
    </message>
    <message>
        <source>It says the same as the present transcript.</source>
        <translation>Říká totéž co současný přepis.</translation>
    </message>
    <message>
        <source>{n} more are not shown.</source>
        <translation>Dalších {n} není zobrazeno.</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Změněno</translation>
    </message>
    <message>
        <source>Only then</source>
        <translation>Jen tehdy</translation>
    </message>
    <message>
        <source>Only now</source>
        <translation>Jen nyní</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>Tehdy</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Nyní</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Odpověď</translation>
    </message>
    <message>
        <source>Accept</source>
        <translation>Přijmout</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Zahodit</translation>
    </message>
    <message>
        <source>Look twice: {problem}</source>
        <translation>Zkontrolujte: {problem}</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Otevřeno</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Přijato</translation>
    </message>
    <message>
        <source>Discarded</source>
        <translation>Zahozeno</translation>
    </message>
    <message>
        <source>Reading the meeting and drafting…</source>
        <translation>Čtu schůzku a navrhuji…</translation>
    </message>
    <message>
        <source>Export the questions</source>
        <translation>Exportovat otázky</translation>
    </message>
    <message>
        <source>How many questions</source>
        <translation>Kolik otázek</translation>
    </message>
    <message>
        <source>{n} questions</source>
        <translation>Otázek: {n}</translation>
    </message>
    <message>
        <source>Draft questions</source>
        <translation>Navrhnout otázky</translation>
    </message>
    <message>
        <source>Stop drafting</source>
        <translation>Přestat navrhovat</translation>
    </message>
    <message>
        <source>Questions for review</source>
        <translation>Otázky k posouzení</translation>
    </message>
    <message>
        <source>Measure the answers on your own meetings: questions are drafted from what was said, you accept, edit or discard them, and the accepted ones become a question set.</source>
        <translation>Změřte odpovědi na vlastních schůzkách: otázky se navrhnou z toho, co zaznělo, vy je přijmete, upravíte nebo zahodíte a z přijatých vznikne sada otázek.</translation>
    </message>
    <message>
        <source>Drafting, {share:.0%}</source>
        <translation>Navrhuji, {share:.0%}</translation>
    </message>
    <message>
        <source>{n} new drafts. They are kept until you close the window.</source>
        <translation>Nových návrhů: {n}. Zůstanou, dokud nezavřete okno.</translation>
    </message>
    <message>
        <source>Nothing new could be asked about this meeting.</source>
        <translation>Na tuto schůzku už nejde položit nic nového.</translation>
    </message>
    <message>
        <source>The question set was written.</source>
        <translation>Sada otázek je zapsána.</translation>
    </message>
    <message>
        <source>Export accepted ({n})</source>
        <translation>Exportovat přijaté ({n})</translation>
    </message>
    <message>
        <source>Go back to the transcript of {name}? The present one is kept as well.</source>
        <translation>Vrátit se k přepisu {name}? Současný zůstane také uložen.</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>Vrátit se</translation>
    </message>
    <message>
        <source>The earlier transcript is back.</source>
        <translation>Dřívější přepis je zpět.</translation>
    </message>
    <message>
        <source>what was said</source>
        <translation>co zaznělo</translation>
    </message>
    <message>
        <source>several moments</source>
        <translation>více míst</translation>
    </message>
    <message>
        <source>when</source>
        <translation>kdy</translation>
    </message>
    <message>
        <source>how many</source>
        <translation>kolik</translation>
    </message>
    <message>
        <source>how it sounded</source>
        <translation>jak to znělo</translation>
    </message>
    <message>
        <source>Hear the cited moments once more</source>
        <translation>Poslechnout citovaná místa ještě jednou</translation>
    </message>
    <message>
        <source>The cited moments are being heard…</source>
        <translation>Citovaná místa se znovu poslouchají…</translation>
    </message>
    <message>
        <source>There is no recording to hear again.</source>
        <translation>Není tu žádná nahrávka k novému poslechu.</translation>
    </message>
    <message>
        <source>{place}: heard again as “{text}”</source>
        <translation>{place}: podruhé slyšeno jako „{text}“</translation>
    </message>
    <message>
        <source>{place}: heard again, the same words</source>
        <translation>{place}: podruhé slyšeno, stejná slova</translation>
    </message>
</context>
<context>
    <name>AnswerCard</name>
    <message>
        <source>No answer</source>
        <translation>Bez odpovědi</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Přemýšlím…</translation>
    </message>
    <message>
        <source>How I found this</source>
        <translation>Jak jsem to našel</translation>
    </message>
    <message>
        <source>Copy the answer with its citations</source>
        <translation>Kopírovat odpověď s citacemi</translation>
    </message>
    <message>
        <source>Not said in this meeting</source>
        <translation>Na schůzce to nezaznělo</translation>
    </message>
    <message>
        <source>Checked against the transcript</source>
        <translation>Ověřeno podle přepisu</translation>
    </message>
    <message>
        <source>Not verified – listen before you rely on it</source>
        <translation>Neověřeno – raději si poslechněte</translation>
    </message>
    <message>
        <source>Nothing in the recording supports this sentence.</source>
        <translation>Tuto větu nic v nahrávce nedokládá.</translation>
    </message>
    <message>
        <source>More moments ({n})</source>
        <translation>Další místa ({n})</translation>
    </message>
    <message>
        <source>Play {speaker} at {time}: {quote}</source>
        <translation>Přehrát {speaker} v {time}: {quote}</translation>
    </message>
    <message>
        <source>Understanding the question…</source>
        <translation>Rozumím otázce…</translation>
    </message>
    <message>
        <source>Planning the search…</source>
        <translation>Plánuji hledání…</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Hledám…</translation>
    </message>
    <message>
        <source>Reading the evidence…</source>
        <translation>Čtu doklady…</translation>
    </message>
    <message>
        <source>Checking the draft…</source>
        <translation>Kontroluji návrh…</translation>
    </message>
    <message>
        <source>Judging the draft…</source>
        <translation>Posuzuji návrh…</translation>
    </message>
    <message>
        <source>(round {n})</source>
        <translation>({n}. kolo)</translation>
    </message>
    <message>
        <source>1 round</source>
        <translation>1 kolo</translation>
    </message>
    <message>
        <source>{n} rounds</source>
        <translation>kol: {n}</translation>
    </message>
    <message>
        <source>Searched {searched} utterances, read {read}, left out {left} · {rounds} · {seconds:.1f} s</source>
        <translation>Prohledáno výroků: {searched}, přečteno {read}, vynecháno {left} · {rounds} · {seconds:.1f} s</translation>
    </message>
    <message>
        <source>{n} meetings were not read, because others fit the question better</source>
        <translation>Nepřečtené schůzky: {n}, protože jiné odpovídají otázce lépe</translation>
    </message>
</context>
<context>
    <name>App</name>
    <message>
        <source>The sound of this meeting cannot be played.</source>
        <translation>Zvuk této schůzky nelze přehrát.</translation>
    </message>
    <message>
        <source>The file {path} is damaged or gone.</source>
        <translation>Soubor {path} je poškozený nebo chybí.</translation>
    </message>
    <message>
        <source>There is no sound device.</source>
        <translation>Není tu žádné zvukové zařízení.</translation>
    </message>
    <message>
        <source>The position moves on, but nothing can be heard.</source>
        <translation>Pozice se posouvá, ale nic není slyšet.</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Podrobnosti</translation>
    </message>
    <message>
        <source>The technical part:</source>
        <translation>Technická část:</translation>
    </message>
</context>
<context>
    <name>AskPage</name>
    <message>
        <source>What to ask</source>
        <translation>Čeho se ptát</translation>
    </message>
    <message>
        <source>This meeting</source>
        <translation>Tato schůzka</translation>
    </message>
    <message>
        <source>All meetings</source>
        <translation>Všechny schůzky</translation>
    </message>
    <message>
        <source>Questions and answers</source>
        <translation>Otázky a odpovědi</translation>
    </message>
    <message>
        <source>Ask anything about what was said</source>
        <translation>Ptejte se na cokoli, co zaznělo</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Otázka</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Otázky</translation>
    </message>
    <message>
        <source>Stop answering</source>
        <translation>Zastavit odpověď</translation>
    </message>
    <message>
        <source>Ask about this meeting</source>
        <translation>Ptejte se na tuto schůzku</translation>
    </message>
    <message>
        <source>Answers rest on what was said. Every sentence names its moments; a click plays them. Nothing leaves this computer.</source>
        <translation>Odpovědi vycházejí z toho, co zaznělo. Každá věta uvádí svá místa a kliknutí je přehraje. Nic neopouští tento počítač.</translation>
    </message>
    <message>
        <source>What was decided?</source>
        <translation>Co se rozhodlo?</translation>
    </message>
    <message>
        <source>Who promised to do what, and by when?</source>
        <translation>Kdo co slíbil a do kdy?</translation>
    </message>
    <message>
        <source>Who raised their voice, and why?</source>
        <translation>Kdo zvýšil hlas a proč?</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Zastaveno.</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Details</source>
        <translation>Podrobnosti</translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation>Zavřít zprávu</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Bookmark</source>
        <translation>Záložka</translation>
    </message>
    <message>
        <source>What is here?</source>
        <translation>Co je tady?</translation>
    </message>
    <message>
        <source>The minutes are being written.</source>
        <translation>Zápis se píše.</translation>
    </message>
    <message>
        <source>The log was exported.</source>
        <translation>Záznam událostí byl uložen.</translation>
    </message>
    <message>
        <source>Export the log</source>
        <translation>Uložit záznam událostí</translation>
    </message>
    <message>
        <source>Earwitness {version}

A private desktop app for meetings: who said what, when and how, with answers you can hear. Nothing leaves this computer.

Licence: Apache-2.0</source>
        <translation>Earwitness {version}

Soukromá aplikace pro schůzky: kdo, co, kdy a jak řekl, s odpověďmi, které si můžete poslechnout. Nic neopouští tento počítač.

Licence: Apache-2.0</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Licence</translation>
    </message>
    <message>
        <source>Earwitness is under Apache-2.0. The libraries it is made of, and every model, have licences of their own; the details name them.</source>
        <translation>Earwitness je pod licencí Apache-2.0. Knihovny, z nichž se skládá, a všechny modely mají vlastní licence; najdete je v podrobnostech.</translation>
    </message>
    <message>
        <source>About Earwitness</source>
        <translation>O aplikaci Earwitness</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Nahrávání</translation>
    </message>
    <message>
        <source>A meeting is being recorded. Stop and keep the recording?</source>
        <translation>Právě se nahrává schůzka. Zastavit a nahrávku ponechat?</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Zastavit a zavřít</translation>
    </message>
    <message>
        <source>The minutes are ready.</source>
        <translation>Zápis je hotov.</translation>
    </message>
</context>
<context>
    <name>DropVeil</name>
    <message>
        <source>Drop recordings, folders or transcripts here</source>
        <translation>Sem pusťte nahrávky, složky nebo přepisy</translation>
    </message>
</context>
<context>
    <name>EngineClient</name>
    <message>
        <source>The engine stopped unexpectedly.</source>
        <translation>Jádro se nečekaně zastavilo.</translation>
    </message>
    <message>
        <source>Your recordings are safe. Try again; finished steps are kept.</source>
        <translation>Nahrávky jsou v bezpečí. Zkuste to znovu; hotové kroky zůstávají.</translation>
    </message>
</context>
<context>
    <name>EntityTimeline</name>
    <message>
        <source>What is named when</source>
        <translation>Co se kdy zmiňuje</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this transcript</source>
        <translation>Hledat v přepisu</translation>
    </message>
    <message>
        <source>Replace with</source>
        <translation>Nahradit za</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Předchozí nález</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Další nález</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Zavřít</translation>
    </message>
    <message>
        <source>Replace all</source>
        <translation>Nahradit vše</translation>
    </message>
</context>
<context>
    <name>GraphPage</name>
    <message>
        <source>Graph</source>
        <translation>Graf</translation>
    </message>
    <message>
        <source>Who answers whom</source>
        <translation>Kdo komu odpovídá</translation>
    </message>
    <message>
        <source>What is named when</source>
        <translation>Co se kdy zmiňuje</translation>
    </message>
    <message>
        <source>{a} answers {b}: {n}</source>
        <translation>{a} odpovídá {b}: {n}</translation>
    </message>
    <message>
        <source>▶ first</source>
        <translation>▶ poprvé</translation>
    </message>
    <message>
        <source>Play the first time {text}</source>
        <translation>Přehrát poprvé: {text}</translation>
    </message>
</context>
<context>
    <name>GraphView</name>
    <message>
        <source>Who answers whom</source>
        <translation>Kdo komu odpovídá</translation>
    </message>
    <message>
        <source>{a} answers {b} {n} times</source>
        <translation>{a} odpovídá {b}, počet: {n}</translation>
    </message>
</context>
<context>
    <name>JobBar</name>
    <message>
        <source>Progress of the analysis</source>
        <translation>Průběh zpracování</translation>
    </message>
    <message>
        <source>Pause the queue</source>
        <translation>Pozastavit frontu</translation>
    </message>
    <message>
        <source>Cancel this job</source>
        <translation>Zrušit tuto úlohu</translation>
    </message>
    <message>
        <source>Show waiting jobs</source>
        <translation>Ukázat čekající úlohy</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Pokračovat</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pozastavit</translation>
    </message>
    <message>
        <source>failed: {reason}</source>
        <translation>selhalo: {reason}</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pozastaveno</translation>
    </message>
    <message>
        <source>waiting for the engine</source>
        <translation>čeká na jádro</translation>
    </message>
    <message>
        <source>{n} more in the queue</source>
        <translation>ve frontě ještě {n}</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Odebrat {name}</translation>
    </message>
    <message>
        <source>Retry {name}</source>
        <translation>Zkusit znovu {name}</translation>
    </message>
    <message>
        <source>Move {name} up</source>
        <translation>Posunout {name} výš</translation>
    </message>
    <message>
        <source>Move {name} down</source>
        <translation>Posunout {name} níž</translation>
    </message>
</context>
<context>
    <name>LibraryActions</name>
    <message>
        <source>There is no recording in what you chose.</source>
        <translation>V tom, co jste vybrali, není žádná nahrávka.</translation>
    </message>
    <message>
        <source>Sound, video, .vtt, .srt and .json files can be added.</source>
        <translation>Přidat lze zvuk, video a soubory .vtt, .srt a .json.</translation>
    </message>
    <message>
        <source>Recordings and transcripts</source>
        <translation>Nahrávky a přepisy</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Všechny soubory</translation>
    </message>
    <message>
        <source>Add recordings</source>
        <translation>Přidat nahrávky</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>Přidat složku</translation>
    </message>
    <message>
        <source>Analyse again</source>
        <translation>Zpracovat znovu</translation>
    </message>
    <message>
        <source>Hear “{title}” again? Names and edits are kept.</source>
        <translation>Zpracovat „{title}“ znovu? Jména a opravy zůstanou.</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Přejmenovat</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Název</translation>
    </message>
    <message>
        <source>Tags, with commas between them</source>
        <translation>Štítky oddělené čárkami</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Štítky</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Delete “{title}” with its recording, transcript, answers and notes? This cannot be undone.</source>
        <translation>Smazat „{title}“ i s nahrávkou, přepisem, odpověďmi a poznámkami? Nelze to vrátit.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Smazat</translation>
    </message>
    <message>
        <source>Exported.</source>
        <translation>Uloženo.</translation>
    </message>
    <message>
        <source>“{title}” was deleted.</source>
        <translation>Schůzka „{title}“ byla smazána.</translation>
    </message>
    <message>
        <source>Removed: {files} files ({bytes}) and {rows} entries.</source>
        <translation>Odstraněno: souborů {files} ({bytes}), záznamů {rows}.</translation>
    </message>
</context>
<context>
    <name>LibraryPage</name>
    <message>
        <source>Record a meeting</source>
        <translation>Nahrát schůzku</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Nahrát</translation>
    </message>
    <message>
        <source>Add recordings or transcripts</source>
        <translation>Přidat nahrávky nebo přepisy</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>Přidat</translation>
    </message>
    <message>
        <source>Search all meetings</source>
        <translation>Hledat ve všech schůzkách</translation>
    </message>
    <message>
        <source>Meetings</source>
        <translation>Schůzky</translation>
    </message>
    <message>
        <source>No meetings yet. Drop recordings anywhere on this window.</source>
        <translation>Zatím žádné schůzky. Pusťte nahrávky kamkoli do okna.</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Přejmenovat…</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>Štítky…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Export…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Smazat…</translation>
    </message>
    <message>
        <source>Finish the analysis</source>
        <translation>Dokončit zpracování</translation>
    </message>
</context>
<context>
    <name>LiveView</name>
    <message>
        <source>Live transcript</source>
        <translation>Průběžný přepis</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Side panel</source>
        <translation>Postranní panel</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Otázky</translation>
    </message>
    <message>
        <source>Minutes</source>
        <translation>Zápis</translation>
    </message>
    <message>
        <source>Speakers</source>
        <translation>Mluvčí</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graf</translation>
    </message>
</context>
<context>
    <name>MeetingPage</name>
    <message>
        <source>Rename this meeting</source>
        <translation>Přejmenovat schůzku</translation>
    </message>
    <message>
        <source>Export this meeting</source>
        <translation>Exportovat schůzku</translation>
    </message>
    <message>
        <source>{n} speakers</source>
        <translation>mluvčích: {n}</translation>
    </message>
    <message>
        <source>{share:.0%} of the speech has words</source>
        <translation>{share:.0%} řeči má slova</translation>
    </message>
    <message>
        <source>Speech without words: click to hear it again</source>
        <translation>Řeč beze slov: kliknutím přehrát</translation>
    </message>
</context>
<context>
    <name>MeetingsModel</name>
    <message>
        <source>{n} speakers</source>
        <translation>mluvčích: {n}</translation>
    </message>
    <message>
        <source>unfinished</source>
        <translation>nedokončeno</translation>
    </message>
</context>
<context>
    <name>MinutesPage</name>
    <message>
        <source>Minutes</source>
        <translation>Zápis</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Shrnutí</translation>
    </message>
    <message>
        <source>Decisions</source>
        <translation>Rozhodnutí</translation>
    </message>
    <message>
        <source>Action items</source>
        <translation>Úkoly</translation>
    </message>
    <message>
        <source>Bookmarks and notes</source>
        <translation>Záložky a poznámky</translation>
    </message>
    <message>
        <source>No minutes yet</source>
        <translation>Zatím bez zápisu</translation>
    </message>
    <message>
        <source>Topics, decisions and action items are written in the background after a meeting was heard, each with the moment it rests on.</source>
        <translation>Témata, rozhodnutí a úkoly se píší na pozadí po zpracování schůzky, každé s místem, o které se opírá.</translation>
    </message>
    <message>
        <source>Write them now</source>
        <translation>Napsat teď</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>Témata</translation>
    </message>
    <message>
        <source>Play at {time}</source>
        <translation>Přehrát v {time}</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Fetch what is missing</source>
        <translation>Stáhnout, co chybí</translation>
    </message>
    <message>
        <source>Add from disk…</source>
        <translation>Přidat z disku…</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>Otevřít složku</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modely</translation>
    </message>
    <message>
        <source>Models turn sound into words and questions into answers, on this computer. Fetching one is the only time Earwitness uses the network.</source>
        <translation>Modely mění zvuk ve slova a otázky v odpovědi, přímo na tomto počítači. Síť se používá jen při jejich stahování.</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>Průběh stahování</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Zrušit</translation>
    </message>
    <message>
        <source>List of models</source>
        <translation>Seznam modelů</translation>
    </message>
    <message>
        <source>installed</source>
        <translation>nainstalováno</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>není nainstalováno</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>poškozeno</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Ověřit</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Odebrat</translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation>Stáhnout</translation>
    </message>
    <message>
        <source>default set</source>
        <translation>výchozí sada</translation>
    </message>
    <message>
        <source>{n} MB of memory</source>
        <translation>{n} MB paměti</translation>
    </message>
    <message>
        <source>Waiting for the engine…</source>
        <translation>Čekám na jádro…</translation>
    </message>
    <message>
        <source>{title} is complete and unchanged.</source>
        <translation>{title} je úplný a nezměněný.</translation>
    </message>
    <message>
        <source>Remove model</source>
        <translation>Odebrat model</translation>
    </message>
    <message>
        <source>Remove {title} from this computer?</source>
        <translation>Odebrat {title} z tohoto počítače?</translation>
    </message>
    <message>
        <source>Model files (*.bin *.gguf *.onnx *.safetensors *.whl);;All files (*)</source>
        <translation>Soubory modelů (*.bin *.gguf *.onnx *.safetensors *.whl);;Všechny soubory (*)</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>Přidat model</translation>
    </message>
</context>
<context>
    <name>RecordPage</name>
    <message>
        <source>Record a meeting</source>
        <translation>Nahrát schůzku</translation>
    </message>
    <message>
        <source>Microphone and computer sound are kept as separate tracks and written to disk from the first second. Whatever happens, what was recorded stays.</source>
        <translation>Mikrofon a zvuk počítače se ukládají jako oddělené stopy a na disk se píší od první sekundy. Ať se stane cokoli, nahrané zůstane.</translation>
    </message>
    <message>
        <source>Title of the meeting</source>
        <translation>Název schůzky</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>Mikrofon</translation>
    </message>
    <message>
        <source>Computer sound</source>
        <translation>Zvuk počítače</translation>
    </message>
    <message>
        <source>Look for devices again</source>
        <translation>Znovu vyhledat zařízení</translation>
    </message>
    <message>
        <source>Not recording</source>
        <translation>Nenahrává se</translation>
    </message>
    <message>
        <source>Start recording</source>
        <translation>Začít nahrávat</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pozastavit</translation>
    </message>
    <message>
        <source>Note or bookmark at this moment, then Return</source>
        <translation>Poznámka nebo záložka k této chvíli, pak Enter</translation>
    </message>
    <message>
        <source>Note at this moment</source>
        <translation>Poznámka k této chvíli</translation>
    </message>
    <message>
        <source>Tell everybody that you record, and ask whether they agree. In many places the law demands it.</source>
        <translation>Řekněte všem, že nahráváte, a zeptejte se, zda souhlasí. Často to vyžaduje zákon.</translation>
    </message>
    <message>
        <source>I will – start recording</source>
        <translation>Řeknu – začít nahrávat</translation>
    </message>
    <message>
        <source>Level of {name}</source>
        <translation>Hlasitost: {name}</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Žádný</translation>
    </message>
    <message>
        <source>waiting for sound</source>
        <translation>čeká na zvuk</translation>
    </message>
    <message>
        <source>nothing is heard</source>
        <translation>nic není slyšet</translation>
    </message>
    <message>
        <source>Waiting for sound</source>
        <translation>Čeká na zvuk</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Nahrávání</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pozastaveno</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Zastaveno</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Pokračovat</translation>
    </message>
    <message>
        <source>Stop recording</source>
        <translation>Zastavit nahrávání</translation>
    </message>
    <message>
        <source>Bookmark</source>
        <translation>Záložka</translation>
    </message>
</context>
<context>
    <name>Recording</name>
    <message>
        <source>What was recorded until then is kept.</source>
        <translation>Co se do té doby nahrálo, zůstává.</translation>
    </message>
</context>
<context>
    <name>RecordingStrip</name>
    <message>
        <source>Level of the recording</source>
        <translation>Hlasitost nahrávky</translation>
    </message>
    <message>
        <source>Pause the recording</source>
        <translation>Pozastavit nahrávání</translation>
    </message>
    <message>
        <source>Stop recording</source>
        <translation>Zastavit nahrávání</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Zastavit</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Ukázat</translation>
    </message>
    <message>
        <source>Show the recording page</source>
        <translation>Ukázat stránku nahrávání</translation>
    </message>
    <message>
        <source>● Waiting for sound</source>
        <translation>● Čeká na zvuk</translation>
    </message>
    <message>
        <source>● Recording</source>
        <translation>● Nahrává se</translation>
    </message>
    <message>
        <source>❚❚ Paused</source>
        <translation>❚❚ Pozastaveno</translation>
    </message>
    <message>
        <source>Go on recording</source>
        <translation>Pokračovat v nahrávání</translation>
    </message>
</context>
<context>
    <name>SearchPage</name>
    <message>
        <source>Only this speaker</source>
        <translation>Jen tento mluvčí</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>Výsledky hledání</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Hledám…</translation>
    </message>
    <message>
        <source>Every speaker</source>
        <translation>Všichni mluvčí</translation>
    </message>
    <message>
        <source>{n} moments in {m} meetings</source>
        <translation>míst: {n}, schůzek: {m}</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Nic se nenašlo.</translation>
    </message>
    <message>
        <source>{n} moments in one meeting</source>
        <translation>míst: {n}, v jedné schůzce</translation>
    </message>
    <message>
        <source>The search failed: {why}</source>
        <translation>Hledání selhalo: {why}</translation>
    </message>
    <message>
        <source>Play {speaker} at {time} in {title}: {text}</source>
        <translation>Přehrát {speaker} v {time}, {title}: {text}</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source> (not installed)</source>
        <translation> (není nainstalováno)</translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation>Hledat v nastavení</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Nastavení</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Klávesové zkratky</translation>
    </message>
    <message>
        <source>Parts of the settings</source>
        <translation>Části nastavení</translation>
    </message>
    <message>
        <source>Shortcut of {action}</source>
        <translation>Zkratka pro {action}</translation>
    </message>
    <message>
        <source>These keys already mean “{action}”.</source>
        <translation>Tyto klávesy už znamenají „{action}“.</translation>
    </message>
    <message>
        <source>Choose others, or clear those first.</source>
        <translation>Zvolte jiné, nebo nejdřív tamty uvolněte.</translation>
    </message>
</context>
<context>
    <name>SpeakersPage</name>
    <message>
        <source>Speakers</source>
        <translation>Mluvčí</translation>
    </message>
    <message>
        <source>Speaker of this utterance</source>
        <translation>Mluvčí tohoto výroku</translation>
    </message>
    <message>
        <source>Rename {name}…</source>
        <translation>Přejmenovat {name}…</translation>
    </message>
    <message>
        <source>This was {name}</source>
        <translation>To byl(a) {name}</translation>
    </message>
    <message>
        <source>This was somebody else</source>
        <translation>To byl někdo jiný</translation>
    </message>
    <message>
        <source>Play a sample of {name}</source>
        <translation>Přehrát ukázku: {name}</translation>
    </message>
    <message>
        <source>No speakers were told apart.</source>
        <translation>Mluvčí nebyli rozlišeni.</translation>
    </message>
    <message>
        <source>Rename {name}</source>
        <translation>Přejmenovat {name}</translation>
    </message>
    <message>
        <source>Merge {name}</source>
        <translation>Sloučit {name}</translation>
    </message>
    <message>
        <source>{time} · {share:.0%} of the talk · {n} utterances</source>
        <translation>{time} · {share:.0%} řeči · výroků: {n}</translation>
    </message>
    <message>
        <source>Play at {time}</source>
        <translation>Přehrát v {time}</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ano</translation>
    </message>
    <message>
        <source>Yes, this is {name}</source>
        <translation>Ano, to je {name}</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Ne</translation>
    </message>
    <message>
        <source>No, this is not {name}</source>
        <translation>Ne, to není {name}</translation>
    </message>
    <message>
        <source>Is this {name}?</source>
        <translation>Je to {name}?</translation>
    </message>
    <message>
        <source>Name of {name}</source>
        <translation>Jméno pro {name}</translation>
    </message>
    <message>
        <source>Rename speaker</source>
        <translation>Přejmenovat mluvčího</translation>
    </message>
    <message>
        <source>Same voice as {name}</source>
        <translation>Stejný hlas jako {name}</translation>
    </message>
</context>
<context>
    <name>Takes</name>
    <message>
        <source>Recording {moment}</source>
        <translation>Nahrávka {moment}</translation>
    </message>
    <message>
        <source>A recording of {length} was recovered.</source>
        <translation>Byla obnovena nahrávka o délce {length}.</translation>
    </message>
    <message>
        <source>It was not finished in order; all that was written is there.</source>
        <translation>Nebyla řádně ukončena; vše, co se zapsalo, je tu.</translation>
    </message>
</context>
<context>
    <name>TraceView</name>
    <message>
        <source>How this answer was found</source>
        <translation>Jak se odpověď našla</translation>
    </message>
    <message>
        <source>round {n}</source>
        <translation>{n}. kolo</translation>
    </message>
    <message>
        <source>What was asked</source>
        <translation>Na co se ptáte</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plán</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>Dotaz</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Doklady</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Návrh</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Posudek</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Poznámka</translation>
    </message>
</context>
<context>
    <name>TranscriptPage</name>
    <message>
        <source>Transcript</source>
        <translation>Přepis</translation>
    </message>
    <message>
        <source>Play this</source>
        <translation>Přehrát</translation>
    </message>
    <message>
        <source>Edit text</source>
        <translation>Upravit text</translation>
    </message>
    <message>
        <source>Change speaker…</source>
        <translation>Změnit mluvčího…</translation>
    </message>
    <message>
        <source>Split before this word</source>
        <translation>Rozdělit před tímto slovem</translation>
    </message>
    <message>
        <source>Join with the next</source>
        <translation>Spojit s dalším</translation>
    </message>
    <message>
        <source>Bookmark this moment</source>
        <translation>Záložka v tomto místě</translation>
    </message>
    <message>
        <source>Ask about this</source>
        <translation>Zeptat se na toto</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopírovat</translation>
    </message>
</context>
<context>
    <name>Transport</name>
    <message>
        <source>Play</source>
        <translation>Přehrát</translation>
    </message>
    <message>
        <source>Back 5 seconds</source>
        <translation>Zpět o 5 sekund</translation>
    </message>
    <message>
        <source>Forward 5 seconds</source>
        <translation>Vpřed o 5 sekund</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Pozice</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Rychlost</translation>
    </message>
    <message>
        <source>Speed; the pitch stays as it is</source>
        <translation>Rychlost; výška hlasu se nemění</translation>
    </message>
    <message>
        <source>Follow what is heard</source>
        <translation>Sledovat přehrávání</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Přiblížit</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Oddálit</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pozastavit</translation>
    </message>
</context>
<context>
    <name>UtteranceDelegate</name>
    <message>
        <source>Text of this utterance</source>
        <translation>Text tohoto výroku</translation>
    </message>
</context>
<context>
    <name>Waveform</name>
    <message>
        <source>Waveform</source>
        <translation>Zvuková vlna</translation>
    </message>
    <message>
        <source>Left and right move by five seconds, plus and minus zoom.</source>
        <translation>Šipky posouvají o pět sekund, plus a minus přibližují.</translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>Every word of your meetings, one click from the sound</source>
        <translation>Každé slovo vašich schůzek, jedno kliknutí od zvuku</translation>
    </message>
    <message>
        <source>Record a meeting, or drop recordings anywhere on this window. Earwitness writes down who said what, and answers questions with the moments they rest on. Everything stays on this computer.</source>
        <translation>Nahrajte schůzku, nebo pusťte nahrávky kamkoli do okna. Earwitness zapíše, kdo co řekl, a na otázky odpovídá s místy, o která se opírá. Vše zůstává na tomto počítači.</translation>
    </message>
</context>
<context>
    <name>actions</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Soubor</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>Úp&amp;ravy</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>&amp;Přehrávání</translation>
    </message>
    <message>
        <source>&amp;Meeting</source>
        <translation>S&amp;chůzka</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Zobrazit</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Nápověda</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>Přidat soubory…</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Přidat složku…</translation>
    </message>
    <message>
        <source>Record a meeting</source>
        <translation>Nahrát schůzku</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Export…</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Nastavení</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modely</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Konec</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Zpět</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Znovu</translation>
    </message>
    <message>
        <source>Edit this utterance</source>
        <translation>Upravit tento výrok</translation>
    </message>
    <message>
        <source>Copy utterances</source>
        <translation>Kopírovat výroky</translation>
    </message>
    <message>
        <source>Find and replace</source>
        <translation>Najít a nahradit</translation>
    </message>
    <message>
        <source>Search all meetings</source>
        <translation>Hledat ve všech schůzkách</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>Přehrát nebo pozastavit</translation>
    </message>
    <message>
        <source>Back 5 seconds</source>
        <translation>Zpět o 5 sekund</translation>
    </message>
    <message>
        <source>Forward 5 seconds</source>
        <translation>Vpřed o 5 sekund</translation>
    </message>
    <message>
        <source>Slower</source>
        <translation>Pomaleji</translation>
    </message>
    <message>
        <source>Faster</source>
        <translation>Rychleji</translation>
    </message>
    <message>
        <source>Follow what is heard</source>
        <translation>Sledovat přehrávání</translation>
    </message>
    <message>
        <source>Zoom into the waveform</source>
        <translation>Přiblížit vlnu</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Oddálit</translation>
    </message>
    <message>
        <source>Show the whole meeting</source>
        <translation>Ukázat celou schůzku</translation>
    </message>
    <message>
        <source>Ask a question</source>
        <translation>Položit otázku</translation>
    </message>
    <message>
        <source>Bookmark this moment</source>
        <translation>Záložka v tomto místě</translation>
    </message>
    <message>
        <source>Change the speaker…</source>
        <translation>Změnit mluvčího…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Přejmenovat…</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>Štítky…</translation>
    </message>
    <message>
        <source>Write the minutes again</source>
        <translation>Napsat zápis znovu</translation>
    </message>
    <message>
        <source>Analyse again…</source>
        <translation>Zpracovat znovu…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Smazat…</translation>
    </message>
    <message>
        <source>Meeting</source>
        <translation>Schůzka</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Otázky</translation>
    </message>
    <message>
        <source>Minutes</source>
        <translation>Zápis</translation>
    </message>
    <message>
        <source>Speakers</source>
        <translation>Mluvčí</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graf</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Knihovna</translation>
    </message>
    <message>
        <source>Side panel</source>
        <translation>Postranní panel</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Celá obrazovka</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Klávesové zkratky</translation>
    </message>
    <message>
        <source>Export the log…</source>
        <translation>Uložit záznam událostí…</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Licence</translation>
    </message>
    <message>
        <source>About Earwitness</source>
        <translation>O aplikaci Earwitness</translation>
    </message>
</context>
<context>
    <name>clock</name>
    <message>
        <source>{time} left</source>
        <translation>zbývá {time}</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} min</translation>
    </message>
    <message>
        <source>{h} h {m:02d} min</source>
        <translation>{h} h {m:02d} min</translation>
    </message>
</context>
<context>
    <name>models</name>
    <message>
        <source>transcription</source>
        <translation>přepis</translation>
    </message>
    <message>
        <source>voice activity</source>
        <translation>detekce řeči</translation>
    </message>
    <message>
        <source>speaker segmentation</source>
        <translation>rozdělení mluvčích</translation>
    </message>
    <message>
        <source>speaker embedding</source>
        <translation>otisk hlasu</translation>
    </message>
    <message>
        <source>text embedding</source>
        <translation>význam textu</translation>
    </message>
    <message>
        <source>language model</source>
        <translation>jazykový model</translation>
    </message>
    <message>
        <source>audio tagging</source>
        <translation>zvuky kolem řeči</translation>
    </message>
    <message>
        <source>emotion</source>
        <translation>emoce</translation>
    </message>
    <message>
        <source>99 languages; the default.</source>
        <translation>99 jazyků; výchozí.</translation>
    </message>
    <message>
        <source>The default; larger models answer better.</source>
        <translation>Výchozí; větší modely odpovídají lépe.</translation>
    </message>
    <message>
        <source>For quick tests; too small to answer.</source>
        <translation>Pro rychlé zkoušky; na odpovědi příliš malý.</translation>
    </message>
    <message>
        <source>Small; says 'not stated' too often.</source>
        <translation>Malý; příliš často říká, že to nezaznělo.</translation>
    </message>
    <message>
        <source>99 languages; better and about three times slower than base.</source>
        <translation>99 jazyků; lepší a asi třikrát pomalejší než base.</translation>
    </message>
    <message>
        <source>99 languages; slow without many cores.</source>
        <translation>99 jazyků; bez mnoha jader pomalý.</translation>
    </message>
    <message>
        <source>99 languages; the best Whisper that a laptop runs.</source>
        <translation>99 jazyků; nejlepší Whisper, který notebook zvládne.</translation>
    </message>
    <message>
        <source>25 European languages with punctuation; fast and accurate.</source>
        <translation>25 evropských jazyků s interpunkcí; rychlý a přesný.</translation>
    </message>
    <message>
        <source>Chinese, Cantonese, English, Japanese, Korean; also names emotions and sound events.</source>
        <translation>Čínština, kantonština, angličtina, japonština, korejština; pozná i emoce a zvuky.</translation>
    </message>
    <message>
        <source>English; its work grows with the length of the speech, so short utterances are quick.</source>
        <translation>Angličtina; práce roste s délkou řeči, krátké výroky jsou proto rychlé.</translation>
    </message>
    <message>
        <source>Writes along word by word while somebody speaks; no punctuation.</source>
        <translation>Píše slovo za slovem, zatímco někdo mluví; bez interpunkce.</translation>
    </message>
    <message>
        <source>Answers much better than the default; wants 8 GB of memory.</source>
        <translation>Odpovídá mnohem lépe než výchozí; potřebuje 8 GB paměti.</translation>
    </message>
    <message>
        <source>Search in 94 languages; questions and passages get the prefixes it was trained with.</source>
        <translation>Hledání v 94 jazycích; otázky a úryvky dostávají předpony, s nimiž byl učen.</translation>
    </message>
    <message>
        <source>Laughter, applause, music and 524 other sounds of AudioSet.</source>
        <translation>Smích, potlesk, hudba a 524 dalších zvuků z AudioSet.</translation>
    </message>
    <message>
        <source>The same sounds in a quarter of the size.</source>
        <translation>Tytéž zvuky ve čtvrtinové velikosti.</translation>
    </message>
    <message>
        <source>The fastest; writes along while you record.</source>
        <translation>Nejrychlejší; píše souběžně s nahráváním.</translation>
    </message>
    <message>
        <source>Neutral, happy, angry, sad; its publisher has no ONNX file, so you add your own export (waveform at 16 kHz in, four logits out). 63 % right on acted speech.</source>
        <translation>Klidný, veselý, hněvivý, smutný; vydavatel nemá soubor ONNX, přidejte proto vlastní export (vlnová křivka 16 kHz dovnitř, čtyři logity ven). U hrané řeči má pravdu v 63 %.</translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>Hearing</source>
        <translation>Poslech</translation>
    </message>
    <message>
        <source>Answering</source>
        <translation>Odpovídání</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Okno</translation>
    </message>
    <message>
        <source>Second recogniser</source>
        <translation>Druhý rozpoznávač</translation>
    </message>
    <message>
        <source>Hears doubtful speech again; words it hears otherwise are marked. Empty for none.</source>
        <translation>Poslechne si nejistou řeč znovu; slova, která slyší jinak, se označí. Prázdné: žádný.</translation>
    </message>
    <message>
        <source>Spoken language</source>
        <translation>Jazyk řeči</translation>
    </message>
    <message>
        <source>Two-letter code, empty to detect it.</source>
        <translation>Dvoupísmenný kód, prázdné pro rozpoznání.</translation>
    </message>
    <message>
        <source>Transcription model</source>
        <translation>Model přepisu</translation>
    </message>
    <message>
        <source>Larger is slower and better.</source>
        <translation>Větší je pomalejší a lepší.</translation>
    </message>
    <message>
        <source>Chinese script</source>
        <translation>Čínské písmo</translation>
    </message>
    <message>
        <source>A meeting is written in one: this one, or the one that most of it was heard in.</source>
        <translation>Schůzka se píše jedním: tímto, nebo tím, ve kterém byla většina slyšena.</translation>
    </message>
    <message>
        <source>Custom vocabulary</source>
        <translation>Vlastní slovník</translation>
    </message>
    <message>
        <source>Names and terms to expect, with commas.</source>
        <translation>Očekávaná jména a výrazy, oddělené čárkami.</translation>
    </message>
    <message>
        <source>Number of speakers</source>
        <translation>Počet mluvčích</translation>
    </message>
    <message>
        <source>0 to estimate it.</source>
        <translation>0 pro odhad.</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Vlákna</translation>
    </message>
    <message>
        <source>0 for one per physical core.</source>
        <translation>0 pro jedno na jádro.</translation>
    </message>
    <message>
        <source>Remember voices</source>
        <translation>Pamatovat si hlasy</translation>
    </message>
    <message>
        <source>Keep voiceprints of named speakers to suggest them in later meetings.</source>
        <translation>Ukládat otisky pojmenovaných hlasů a navrhovat je později.</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Jazykový model</translation>
    </message>
    <message>
        <source>Plans and writes answers.</source>
        <translation>Plánuje a píše odpovědi.</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Kola</translation>
    </message>
    <message>
        <source>How often an answer may be re-planned.</source>
        <translation>Kolikrát smí být odpověď přeplánována.</translation>
    </message>
    <message>
        <source>Evidence budget</source>
        <translation>Rozsah dokladů</translation>
    </message>
    <message>
        <source>Tokens read per answer.</source>
        <translation>Přečtených tokenů na odpověď.</translation>
    </message>
    <message>
        <source>Enrich after analysis</source>
        <translation>Obohatit po zpracování</translation>
    </message>
    <message>
        <source>Find topics, decisions and action items in the background.</source>
        <translation>Na pozadí hledat témata, rozhodnutí a úkoly.</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Vzhled</translation>
    </message>
    <message>
        <source>Follow the system, or always dark or light.</source>
        <translation>Podle systému, nebo vždy tmavý či světlý.</translation>
    </message>
    <message>
        <source>as heard</source>
        <translation>jak slyšeno</translation>
    </message>
    <message>
        <source>simplified</source>
        <translation>zjednodušené</translation>
    </message>
    <message>
        <source>traditional</source>
        <translation>tradiční</translation>
    </message>
    <message>
        <source>system</source>
        <translation>systém</translation>
    </message>
    <message>
        <source>light</source>
        <translation>světlý</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>tmavý</translation>
    </message>
    <message>
        <source>Language of the window</source>
        <translation>Jazyk okna</translation>
    </message>
    <message>
        <source>Empty to follow the system.</source>
        <translation>Prázdné podle systému.</translation>
    </message>
    <message>
        <source>Reduced motion</source>
        <translation>Méně pohybu</translation>
    </message>
    <message>
        <source>No animated transitions.</source>
        <translation>Bez animací.</translation>
    </message>
    <message>
        <source>Watch folder</source>
        <translation>Sledovaná složka</translation>
    </message>
    <message>
        <source>New recordings here are analysed by themselves.</source>
        <translation>Nové nahrávky odtud se zpracují samy.</translation>
    </message>
</context>
<context>
    <name>window</name>
    <message>
        <source>Something went wrong in Earwitness itself.</source>
        <translation>V aplikaci samotné se něco pokazilo.</translation>
    </message>
    <message>
        <source>Your meetings are safe. A report was written to {path}.</source>
        <translation>Schůzky jsou v bezpečí. Zpráva je v {path}.</translation>
    </message>
    <message>
        <source>The library cannot be opened</source>
        <translation>Knihovnu nelze otevřít</translation>
    </message>
    <message>
        <source>What can be read is saved; the damaged file is kept beside it.</source>
        <translation>Co lze přečíst, bude zachráněno; poškozený soubor zůstane vedle.</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Opravit</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Zkusit znovu</translation>
    </message>
    <message>
        <source>Close the window and run: earwitness library repair</source>
        <translation>Zavřete okno a spusťte: earwitness library repair</translation>
    </message>
    <message>
        <source>The library is damaged: {what}</source>
        <translation>Knihovna je poškozená: {what}</translation>
    </message>
    <message>
        <source>Edit: {text}</source>
        <translation>Upravit: {text}</translation>
    </message>
    <message>
        <source>Remove: {text}</source>
        <translation>Odebrat: {text}</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>Kdo</translation>
    </message>
    <message>
        <source>By when</source>
        <translation>Do kdy</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Uložit</translation>
    </message>
    <message>
        <source>Copy the minutes as text</source>
        <translation>Kopírovat zápis jako text</translation>
    </message>
    <message>
        <source>Write again</source>
        <translation>Napsat znovu</translation>
    </message>
    <message>
        <source>Add to “{title}”</source>
        <translation>Přidat do „{title}“</translation>
    </message>
    <message>
        <source>What is to be noted?</source>
        <translation>Co se má poznamenat?</translation>
    </message>
    <message>
        <source>The minutes were copied.</source>
        <translation>Zápis byl zkopírován.</translation>
    </message>
    <message>
        <source>The watch folder cannot be read.</source>
        <translation>Sledovanou složku nelze přečíst.</translation>
    </message>
    <message>
        <source>{path} is not there. New recordings in it are not noticed.</source>
        <translation>{path} neexistuje. Nových nahrávek v ní si aplikace nevšimne.</translation>
    </message>
    <message>
        <source>Found in the watch folder: {name}</source>
        <translation>Ve sledované složce je {name}</translation>
    </message>
    <message>
        <source>The gap is being heard again.</source>
        <translation>Mezera se poslouchá znovu.</translation>
    </message>
    <message>
        <source>Hear gaps again</source>
        <translation>Znovu vyslechnout mezery</translation>
    </message>
    <message>
        <source>All speech of this meeting has words.</source>
        <translation>Celá řeč této schůzky má slova.</translation>
    </message>
    <message>
        <source>{n} words were found in the gap.</source>
        <translation>V mezeře bylo nalezeno slov: {n}.</translation>
    </message>
    <message>
        <source>No words could be made out in the gap.</source>
        <translation>V mezeře nebylo rozumět žádnému slovu.</translation>
    </message>
    <message>
        <source>Passphrase of the library</source>
        <translation>Heslo knihovny</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>Heslo</translation>
    </message>
    <message>
        <source>Once more</source>
        <translation>Ještě jednou</translation>
    </message>
    <message>
        <source>The library is encrypted.</source>
        <translation>Knihovna je zašifrovaná.</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Odemknout</translation>
    </message>
    <message>
        <source>Decrypt</source>
        <translation>Dešifrovat</translation>
    </message>
    <message>
        <source>Encrypt</source>
        <translation>Zašifrovat</translation>
    </message>
    <message>
        <source>Encryption of the library…</source>
        <translation>Šifrování knihovny…</translation>
    </message>
    <message>
        <source>The library is encrypted. With its passphrase it is written back as plain files. The window closes and opens again when this is done.</source>
        <translation>Knihovna je zašifrovaná. S heslem se zapíše zpět do nešifrovaných souborů. Okno se zavře a po dokončení se znovu otevře.</translation>
    </message>
    <message>
        <source>Nobody will be able to read the library without this passphrase, and nothing can replace it: if it is lost, so are the meetings. The plain files are deleted, but a disk may keep what was in them for a while; older backups stay as they are. The window closes and opens again when this is done.</source>
        <translation>Bez tohoto hesla knihovnu nikdo nepřečte a nic ho nenahradí: se ztrátou hesla jsou ztraceny i schůzky. Nešifrované soubory se smažou, disk však může jejich obsah ještě nějakou dobu uchovávat; starší zálohy zůstávají, jak jsou. Okno se zavře a po dokončení se znovu otevře.</translation>
    </message>
    <message>
        <source>Standard</source>
        <translation>Standardní</translation>
    </message>
    <message>
        <source>Decisions only</source>
        <translation>Jen rozhodnutí</translation>
    </message>
    <message>
        <source>Stand-up</source>
        <translation>Krátká porada</translation>
    </message>
    <message>
        <source>Interview</source>
        <translation>Rozhovor</translation>
    </message>
    <message>
        <source>Who does what</source>
        <translation>Kdo co udělá</translation>
    </message>
    <message>
        <source>Questions asked</source>
        <translation>Položené otázky</translation>
    </message>
    <message>
        <source>topics</source>
        <translation>témata</translation>
    </message>
    <message>
        <source>decisions and action items</source>
        <translation>rozhodnutí a úkoly</translation>
    </message>
    <message>
        <source>summary</source>
        <translation>shrnutí</translation>
    </message>
    <message>
        <source>A form of minutes cannot be read.</source>
        <translation>Podobu zápisu nelze přečíst.</translation>
    </message>
    <message>
        <source>Form of the minutes</source>
        <translation>Podoba zápisu</translation>
    </message>
    <message>
        <source>A form of your own…</source>
        <translation>Vlastní podoba…</translation>
    </message>
    <message>
        <source>Write again what you did not change or remove</source>
        <translation>Znovu napsat, co jste nezměnili ani neodstranili</translation>
    </message>
    <message>
        <source>The form cannot be written.</source>
        <translation>Podobu zápisu nelze uložit.</translation>
    </message>
    <message>
        <source>Change this file, and the minutes follow it.</source>
        <translation>Změňte tento soubor a zápis se mu přizpůsobí.</translation>
    </message>
    <message>
        <source>Minutes being written</source>
        <translation>Zápis se píše</translation>
    </message>
    <message>
        <source>Writing the minutes: {stage}, {share:.0%}</source>
        <translation>Píše se zápis: {stage}, {share:.0%}</translation>
    </message>
    <message>
        <source>The log cannot be written.</source>
        <translation>Protokol nelze zapsat.</translation>
    </message>
</context>
</TS>
